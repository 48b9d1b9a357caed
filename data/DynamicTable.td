// What a TableGen file says to get a table out of `aspen-tblgen -gen-dynamic-tables`. Source: S2 "New TableGen backend".
//
// A record of class DynamicTable is one table: a std::map in C++ (so that a program may add and change entries), a slice in Rust. Every
// record of the class named by FilterClass is one entry, in the order of the file. The first of Fields is the key; the others are the
// members of the entry, in this order.
//
// A field X that is a list needs a line `string TypeOf_X = "list<…>";` in the table, because llvm-tblgen's JSON tells lists from bits by
// nothing.
//
// Values: `string` and `code` are texts; `int`, `bit` and `bits<n>` are numbers; lists are lists; another record stands for its field
// `Name` in C++, and in Rust for its field `Number` where it has one.

class DynamicTable {
  // The class whose records are the entries.
  string FilterClass;

  // The type of an entry, which whoever includes the table defines: S2 has C++ programs define it, because there it is easier to read.
  string CppTypeName = FilterClass;

  // The key, then the members, as fields of FilterClass.
  list<string> Fields;

  // The same for the table in Rust, which may have more to say.
  list<string> RustFields = Fields;
}
