/// Lends what is somewhere in memory.
///
/// Memory read as a copyable type is copied first, and a copy of something with references in it retains and releases each
/// of them, by two locked instructions. What cannot be copied is read in place.
/// The layout is that of the subject alone, so memory that holds a subject holds a loan.
struct Loan<Subject>: ~Copyable {
    let subject: Subject
}
