/// Some of the log's tables as the writer has them: their statements, and what it knows of their rows by heart, which goes with
/// each transaction. Nothing of this can fail. Confined to the writer's thread.
protocol WriterPart: AnyObject {
    /// Answers how to come back to here, if what comes next in the transaction fails and the rest goes on.
    func mark() -> () -> Void

    /// The transaction was committed.
    func commit()

    /// The transaction failed.
    func rollBack()
}
