// A program that embeds a hub imports `Clarion` alone: the names of its log, server and webhooks come with it.
@_exported public import EventLog
@_exported public import MicroHTTP
@_exported public import Webhooks
