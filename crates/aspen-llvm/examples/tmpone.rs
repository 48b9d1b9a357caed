use aspen_llvm::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let b = std::fs::read(&a[1]).unwrap();
    let c = Context::new();
    let m = c.parse(&a[1], &b).unwrap();
    let roots: Vec<&str> = a[3..].iter().map(|s| s.as_str()).collect();
    let i = m.clone_closure(&roots).unwrap();
    i.verify().unwrap();
    std::fs::write(&a[2], i.to_bitcode()).unwrap();
}
