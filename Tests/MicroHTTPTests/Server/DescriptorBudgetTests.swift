import Testing

@testable import MicroHTTP

@Suite struct DescriptorBudgetTests {
    @Test(arguments: [1, 64, 100, 256, 600, 1024, 4096, 65_536, 1_000_000])
    func `what is shared out is no more than there is, and everybody has something`(openFiles: Int) {
        let budget = DescriptorBudget(openFiles: openFiles)
        #expect(budget.webhooks >= 4 && budget.webhooks <= max(4, openFiles / 4) && budget.webhooks <= 4096)
        #expect(budget.connections >= 1)
        if openFiles >= 100 { #expect(budget.webhooks + budget.files + budget.connections == openFiles) }
    }
}
