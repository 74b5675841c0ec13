// A program that embeds a hub imports `Clarion` alone: the observers in the process and the names of its log, server and
// webhooks come with it, and the logger that it is given.
@_exported public import Broadcasting
@_exported public import EventLog
@_exported public import Logging
@_exported public import MicroHTTP
@_exported public import Webhooks

/// Where an observer in the process is called; a webhook's delivery is `Webhooks.Delivery`.
public typealias Delivery = Broadcasting.Delivery
