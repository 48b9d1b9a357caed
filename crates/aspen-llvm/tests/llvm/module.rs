//! Reading (also of damaged bytes), linking, renaming and cutting out closures.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use aspen_llvm::{Context, Module};

/// Lines of the module that define, declare or name something, shortened.
fn outline(module: &Module<'_>) -> Vec<String> {
    let text = module.to_text();
    let lines = text
        .lines()
        .filter(|line| ["@", "define", "declare", "$", "!llvm", "!opencl", "!intel"].iter().any(|start| line.starts_with(start)));
    lines.map(|line| line.split(" = !{").next().unwrap().trim_end_matches(" {").to_owned()).collect()
}

#[track_caller]
fn check_closure(ir: &str, roots: &[&str], expected: &[&str]) {
    let context = Context::new();
    let source = context.parse("test.ll", ir.as_bytes()).unwrap();
    let before = source.to_text();
    let image = source.clone_closure(roots).unwrap();
    image.verify().unwrap();
    assert_eq!(outline(&image), expected);
    // The image stands alone: it survives its source, and the way through bitcode.
    assert_eq!(source.to_text(), before);
    drop(source);
    let bytes = image.to_bitcode();
    let text = image.to_text();
    drop(image);
    let context = Context::new();
    assert_eq!(context.parse("test.ll", &bytes).unwrap().to_text(), text);
}

#[test]
fn closure_holds_what_the_roots_reach_and_nothing_else() {
    check_closure(
        r#"
        @used = addrspace(1) global i32 7
        @table = internal constant [2 x ptr] [ptr @through_table, ptr @table2]
        @table2 = internal constant [1 x ptr] [ptr @table]
        @unused = global i32 1
        @llvm.used = appending global [2 x ptr] [ptr @helper, ptr @stranger], section "llvm.metadata"
        @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @constructor, ptr null }]
        $k1 = comdat any
        define weak_odr spir_kernel void @k1() comdat { call void @helper()
          ret void }
        define spir_kernel void @k2() { ret void }
        define linkonce_odr void @helper() { %x = load i32, ptr addrspace(1) @used
          %p = load ptr, ptr @table
          call void @outside(i32 %x)
          call void @loop()
          ret void }
        define internal void @loop() { call void @helper()
          ret void }
        define void @through_table() { ret void }
        define void @stranger() { ret void }
        define internal void @constructor() { ret void }
        declare void @outside(i32)
        declare void @not_called()
        !opencl.ocl.version = !{!0}
        !intel_types_that_use_aspects = !{!1}
        !0 = !{i32 2, i32 0}
        !1 = !{!"struct.x", i32 5}
        "#,
        &["k1"],
        &[
            "$k1 = comdat any",
            "@used = internal addrspace(1) global i32 7",
            "@table = internal constant [2 x ptr] [ptr @through_table, ptr @table2]",
            "@table2 = internal constant [1 x ptr] [ptr @table]",
            "@llvm.used = appending global [1 x ptr] [ptr @helper], section \"llvm.metadata\"",
            "define weak_odr spir_kernel void @k1() comdat",
            "define internal void @helper()",
            "define internal void @loop()",
            "define internal void @through_table()",
            "declare void @outside(i32)",
            "!opencl.ocl.version",
        ],
    );
}

#[test]
fn roots_stay_visible_whatever_they_were() {
    check_closure(
        "define linkonce_odr void @a() { ret void }
         define internal void @b() { ret void }
         define available_externally void @c() { ret void }
         define hidden void @d() { call void @a()
           ret void }",
        &["d", "c", "b", "a"],
        &["define weak_odr void @a()", "define void @b()", "define void @c()", "define void @d()"],
    );
}

#[test]
fn aliases_resolvers_and_personalities_come_along() {
    check_closure(
        r"
        @inner = internal alias void (), ptr @real
        @outer = internal alias void (), ptr @inner
        @exported = alias void (), ptr @real
        @resolved = ifunc void (), ptr @resolver
        define void @k() prefix ptr @prefix personality ptr @personality { call void @outer()
          call void @resolved()
          ret void }
        define internal void @real() { ret void }
        define internal ptr @resolver() { ret ptr @real }
        define void @prefix() { ret void }
        declare i32 @personality(...)
        ",
        &["exported", "k"],
        &[
            "@resolved = internal ifunc void (), ptr @resolver",
            "define void @k() prefix ptr @prefix personality ptr @personality",
            "define internal void @real()",
            "define internal ptr @resolver()",
            "define internal void @prefix()",
            "declare i32 @personality(...)",
            "define void @exported()",
        ],
    );
}

#[test]
fn callees_of_indirect_calls_come_along_and_template_arguments_do_not() {
    let ir = r#"
        define void @k(ptr %f) !dbg !10 { call void %f(), !dbg !13, !callees !0
          br label %l, !llvm.loop !14
        l:
          ret void }
        define internal void @listed() !dbg !15 { ret void }
        define void @argument() { ret void }
        @g = global i32 0, !dbg !20
        !llvm.dbg.cu = !{!1, !30}
        !llvm.module.flags = !{!2}
        !llvm.ident = !{!3}
        !0 = !{ptr @listed}
        !1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !4, emissionKind: FullDebug, globals: !22)
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = !{!"clang"}
        !4 = !DIFile(filename: "k.cpp", directory: "dir")
        !5 = !DISubroutineType(types: !6)
        !6 = !{null}
        !10 = distinct !DISubprogram(name: "k", scope: !4, file: !4, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition, templateParams: !11)
        !11 = !{!12}
        !12 = !DITemplateValueParameter(name: "F", value: ptr @argument)
        !13 = !DILocation(line: 2, scope: !10)
        !14 = distinct !{!14}
        !15 = distinct !DISubprogram(name: "listed", scope: !4, file: !4, line: 9, type: !5, unit: !1, spFlags: DISPFlagDefinition)
        !20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
        !21 = distinct !DIGlobalVariable(name: "g", scope: !1, file: !4, line: 3, type: !23)
        !22 = !{!20}
        !23 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
        !30 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !4, emissionKind: FullDebug)
    "#;
    check_closure(
        ir,
        &["k"],
        &["define void @k(ptr %f) !dbg !4", "define internal void @listed() !dbg !12", "!llvm.module.flags", "!llvm.ident", "!llvm.dbg.cu"],
    );
    let context = Context::new();
    let image = context.parse("k.ll", ir.as_bytes()).unwrap().clone_closure(&["k"]).unwrap();
    let text = image.to_text();
    assert!(text.contains("!{ptr @listed}"), "the list names the image's own function: {text}");
    assert_eq!(text.matches("DICompileUnit").count(), 1, "{text}");
    assert!(!text.contains("DIGlobalVariable"), "{text}");
}

/// DPC++'s marks for function pointers and virtual functions: calls reach functions whose addresses they do not see. Source: FORMATS §2.
#[test]
fn marked_targets_of_indirect_calls_come_along() {
    let ir = r#"
        define spir_kernel void @pointer(ptr %f) { call void %f(i32 1)
          ret void }
        define spir_kernel void @other_type(ptr %f) { call void %f(i64 1)
          ret void }
        define spir_kernel void @direct() { call void @plain(i32 1)
          ret void }
        define spir_kernel void @virtual() #2 { ret void }
        define spir_kernel void @both_sets() #3 { ret void }
        define spir_kernel void @no_such_set() #4 { ret void }
        define void @referenced(i32 %x) #0 { call void @inner()
          ret void }
        define void @referenced_too(i32 %x) #0 { ret void }
        define void @plain(i32 %x) { ret void }
        define void @inner() { ret void }
        define linkonce_odr void @method() #5 { call void @below()
          ret void }
        define linkonce_odr void @method_too() #5 { ret void }
        define linkonce_odr void @of_set_b() #6 { ret void }
        define void @below() { ret void }
        attributes #0 = { "referenced-indirectly" }
        attributes #2 = { "calls-indirectly"="set-a" }
        attributes #3 = { "calls-indirectly"="set-b,set-a" }
        attributes #4 = { "calls-indirectly"="set" }
        attributes #5 = { "indirectly-callable"="set-a" }
        attributes #6 = { "indirectly-callable"="set-b" }
    "#;
    let context = Context::new();
    let source = context.parse("test.ll", ir.as_bytes()).unwrap();
    for (root, expected) in [
        ("pointer", &["pointer", "referenced", "referenced_too", "inner"][..]),
        // A call of another type cannot reach them, nor can a direct one.
        ("other_type", &["other_type"]),
        ("direct", &["direct", "plain"]),
        ("virtual", &["virtual", "method", "method_too", "below"]),
        ("both_sets", &["both_sets", "method", "method_too", "of_set_b", "below"]),
        // Sets are compared as a whole.
        ("no_such_set", &["no_such_set"]),
    ] {
        let image = source.clone_closure(&[root]).unwrap();
        image.verify().unwrap();
        let text = image.to_text();
        let functions = text.lines().filter(|line| line.starts_with("define") || line.starts_with("declare"));
        let mut names: Vec<&str> = functions.map(|line| line.split(['@', '(']).nth(1).unwrap()).collect();
        let mut expected = expected.to_vec();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{root}: {text}");
    }
}

/// Ten kernels share a helper, and each has one of its own, inlined into it: three subprograms an image, of the 21 of the module.
#[test]
fn debug_info_of_an_image_is_of_its_functions() {
    let mut ir = String::from("define internal void @shared() !dbg !100 { ret void, !dbg !102 }\n");
    let mut nodes = String::from(
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug, retainedTypes: !6, imports: !8)\n\
         !2 = !DIFile(filename: \"k.cpp\", directory: \"dir\")\n!3 = !DISubroutineType(types: !4)\n!4 = !{null}\n\
         !5 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Retained\", file: !2, size: 8)\n!6 = !{!5}\n\
         !7 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !0, entity: !110, file: !2)\n!8 = !{!7}\n\
         !100 = distinct !DISubprogram(name: \"shared\", scope: !2, file: !2, type: !3, unit: !0, spFlags: DISPFlagDefinition)\n\
         !102 = !DILocation(line: 1, scope: !100)\n",
    );
    for index in 0..10 {
        let node = |of: usize| 110 + 10 * index + of;
        let (kernel, own, call, inlined) = (node(0), node(1), node(2), node(3));
        ir += &format!(
            "define spir_kernel void @k{index}() !dbg !{kernel} {{ call void @shared(), !dbg !{call}\n ret void, !dbg !{inlined} }}\n"
        );
        nodes += &format!(
            "!{kernel} = distinct !DISubprogram(name: \"k{index}\", scope: !2, file: !2, type: !3, unit: !0, spFlags: DISPFlagDefinition)\n\
             !{own} = distinct !DISubprogram(name: \"own{index}\", scope: !2, file: !2, type: !3, unit: !0, spFlags: DISPFlagDefinition)\n\
             !{call} = !DILocation(line: 2, scope: !{kernel})\n!{inlined} = !DILocation(line: 3, scope: !{own}, inlinedAt: !{call})\n"
        );
    }
    let context = Context::new();
    let source = context.parse("debug.ll", (ir + &nodes).as_bytes()).unwrap();
    assert_eq!(source.to_text().matches("!DISubprogram(").count(), 21);
    for index in 0..10 {
        let image = source.clone_closure(&[&format!("k{index}")]).unwrap();
        image.verify().unwrap();
        // What is written counts, not only what is printed.
        let again = Context::new();
        let text = again.parse("image.bc", &image.to_bitcode()).unwrap().to_text();
        let programs: Vec<&str> = text.lines().filter(|line| line.contains("!DISubprogram(")).collect();
        assert_eq!(programs.len(), 3, "{text}");
        for name in [format!("\"k{index}\""), format!("\"own{index}\""), "\"shared\"".into()] {
            assert!(programs.iter().any(|line| line.contains(&name)), "{name}: {text}");
        }
        assert_eq!(text.matches("!DICompileUnit(").count(), 1, "{text}");
        assert!(!text.contains("Retained") && !text.contains("DIImportedEntity"), "{text}");
    }
}

#[test]
fn a_hundred_images_of_one_module() {
    let mut ir = String::from("define internal i32 @shared(i32 %x) { ret i32 %x }\n");
    for index in 0..100 {
        ir += &format!("define spir_kernel void @k{index}() {{ %x = call i32 @shared(i32 {index})\n ret void }}\n");
    }
    let context = Context::new();
    let source = context.parse("many.ll", ir.as_bytes()).unwrap();
    for index in 0..100 {
        let image = source.clone_closure(&[&format!("k{index}")]).unwrap();
        image.verify().unwrap();
        assert_eq!(image.exports(), [format!("k{index}")]);
    }
    assert_eq!(
        source.clone_closure(&["k1", "k100"]).err().unwrap().to_string(),
        "many.ll: there is no function 'k100' to make an image of"
    );
}

#[test]
fn linking_merges_inline_functions_and_reports_clashes() {
    let context = Context::new();
    let parse = |name: &str, ir: &str| context.parse(name, ir.as_bytes()).unwrap();
    let mut all =
        parse("a.ll", "define spir_kernel void @a() { call void @inline()\n ret void }\ndefine linkonce_odr void @inline() { ret void }");
    all.link_in(parse("b.ll", "define void @b() { call void @inline()\n ret void }\ndefine linkonce_odr void @inline() { ret void }"))
        .unwrap();
    all.verify().unwrap();
    assert_eq!(all.exports(), ["a", "b"]);
    let clash = all.link_in(parse("c.ll", "define void @b() { ret void }")).unwrap_err();
    assert_eq!(clash.to_string(), "cannot link device code of c.ll: Linking globals named 'b': symbol multiply defined!");
}

#[test]
fn renaming_finds_clashes() {
    let context = Context::new();
    let ir = "define void @a() { call void @b()\n ret void }\ndeclare void @b()\n@g = global i32 0";
    let mut module = context.parse("a.ll", ir.as_bytes()).unwrap();
    module.rename("a", "a.aspen_0123").unwrap();
    assert_eq!(module.exports(), ["a.aspen_0123"]);
    assert_eq!(module.rename("a", "c").unwrap_err().to_string(), "a.ll: there is no 'a' to rename to 'c'");
    assert_eq!(module.rename("b", "g").unwrap_err().to_string(), "a.ll: 'b' cannot be renamed to 'g': that name is taken");
}

#[test]
fn imports_are_used_declarations() {
    let context = Context::new();
    let ir = "define double @a() { call void @b()\n %x = call double @llvm.sqrt.f64(double 1.0)\n ret double %x }
        declare void @b()\ndeclare void @unused()\ndeclare double @llvm.sqrt.f64(double)";
    assert_eq!(context.parse("a.ll", ir.as_bytes()).unwrap().imports(), ["b"]);
}

#[test]
fn passes_run_and_unknown_ones_are_errors() {
    let context = Context::new();
    let ir = "define void @a() { ret void }\ndefine internal void @dead() { ret void }";
    let mut module = context.parse("a.ll", ir.as_bytes()).unwrap();
    module.run_passes("globaldce,strip-dead-prototypes").unwrap();
    assert!(!module.to_text().contains("dead"));
    let error = module.run_passes("globaldcee").unwrap_err().to_string();
    assert!(error.starts_with("a.ll: passes 'globaldcee' failed: unknown pass name"), "{error}");
}

#[test]
fn errors_name_the_file_and_the_place() {
    let context = Context::new();
    let error = |bytes: &[u8]| context.parse("dir/x.ll", bytes).err().unwrap().to_string();
    assert_eq!(error(b"define void @f() {\n  rett void\n}"), "dir/x.ll:2:3: error: expected instruction opcode\n  rett void\n  ^");
    assert!(error(b"define i32 @f() { ret i32 %x }").contains("use of undefined value '%x'"));
    assert!(error(b"define void @f() { %x = alloca i32\n br label %l\nl: %y = phi i32 [0, %l]\n ret void }").contains("PHI"));
    assert!(error(b"BC\xC0\xDE").starts_with("dir/x.ll: not a valid LLVM module: "));
    assert!(error(b"\x7fELF\x02\x01\x01").starts_with("dir/x.ll: not a valid LLVM module: line 1"));
}

/// Truncated, and every byte flipped in turn: an error or a valid module, never the end of the process.
#[test]
fn damaged_bitcode_never_ends_the_process() {
    let ir = r#"
        %s = type { i32, double }
        @g = addrspace(1) global [2 x %s] zeroinitializer
        define spir_kernel void @k(ptr byval(%s) %p, i32 %n) !intel_used_aspects !0 {
          %x = getelementptr %s, ptr %p, i32 0, i32 1
          %d = load double, ptr %x
          %c = icmp sgt i32 %n, 0
          br i1 %c, label %a, label %b
        a:
          %e = fadd double %d, 1.0
          br label %b
        b:
          %r = phi double [ %d, %0 ], [ %e, %a ]
          store double %r, ptr %x
          switch i32 %n, label %c1 [ i32 1, label %c2 ]
        c1:
          call void @f(double %r)
          ret void
        c2:
          ret void }
        declare void @f(double)
        !0 = !{i32 6}
    "#;
    let good = Context::new().parse("good.ll", ir.as_bytes()).unwrap().to_bitcode();
    let mut refused = 0;
    for length in 0..good.len() {
        refused += usize::from(Context::new().parse("cut.bc", &good[..length]).is_err());
    }
    assert!(refused >= good.len() - 8, "{refused} of {}", good.len());
    for index in 0..good.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[index] ^= mask;
            if let Err(error) = Context::new().parse("flipped.bc", &bytes) {
                assert!(error.to_string().starts_with("flipped.bc: "), "{error}");
            }
        }
    }
    Context::new().parse("good.bc", &good).unwrap().verify().unwrap();
}
