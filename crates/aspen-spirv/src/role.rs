//! What an instruction before the functions does there: whether it defines something, says something about something, or stands for itself.
//! Source: SPIR-V specification, "Logical Layout of a Module".

use rspirv::spirv::Op;

/// What an opcode's instructions do before the functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Stays as long as its result does.
    Defines,
    /// Stays, and keeps everything it refers to.
    Itself,
    /// Stays, and refers to nothing.
    Nothing,
    Capability,
    Extension,
    EntryPoint,
    /// Says something about the id that is its first operand.
    About,
    /// The same: a decoration, whose second operand says which.
    Decorate,
    /// The same; what it says refers to further ids.
    DecorateId,
    ModeId,
    /// Gives its targets what is said about the group that is its first operand.
    Group,
    /// The same with pairs of target and member.
    GroupMember,
}

impl Role {
    pub(crate) fn of(opcode: u32, has_result: bool) -> Role {
        const ROLES: [(Op, Role); 17] = [
            (Op::EntryPoint, Role::EntryPoint),
            (Op::ExecutionMode, Role::About),
            (Op::ExecutionModeId, Role::ModeId),
            (Op::Name, Role::About),
            (Op::MemberName, Role::About),
            (Op::Decorate, Role::Decorate),
            (Op::DecorateId, Role::DecorateId),
            (Op::DecorateString, Role::About),
            (Op::MemberDecorate, Role::About),
            (Op::MemberDecorateString, Role::About),
            (Op::GroupDecorate, Role::Group),
            (Op::GroupMemberDecorate, Role::GroupMember),
            (Op::TypeForwardPointer, Role::About),
            (Op::Capability, Role::Capability),
            (Op::Extension, Role::Extension),
            (Op::Nop, Role::Nothing),
            (Op::NoLine, Role::Nothing),
        ];
        let role = ROLES.iter().find(|(op, _)| *op as u32 == opcode).map(|(_, role)| *role);
        role.unwrap_or(if has_result { Role::Defines } else { Role::Itself })
    }
}
