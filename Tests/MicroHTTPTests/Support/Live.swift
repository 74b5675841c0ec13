import Testing

/// The suites that run a server: one test at a time, since some measure time and all share two cores with it.
@Suite(.serialized) enum Live {}
