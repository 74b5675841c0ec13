// A program that embeds a hub imports `Clarion` alone. What its interface speaks of comes with it, and no more: names such as
// `Request`, `Response` and `Router` stay the program's own.
@_exported public import struct Access.CredentialsError
@_exported public import Broadcasting
@_exported public import struct ClusterLog.ClusterAddress
@_exported public import enum EventLog.Durability
@_exported public import struct EventLog.Event
@_exported public import struct EventLog.EventDraft
@_exported public import struct EventLog.EventID
@_exported public import struct EventLog.EventLogError
@_exported public import struct EventLog.EventOrigin
@_exported public import struct EventLog.IdempotencyKey
@_exported public import struct EventLog.LogEpoch
@_exported public import struct EventLog.ObserverID
@_exported public import struct EventLog.Position
@_exported public import struct EventLog.Retention
@_exported public import class EventLog.SQLiteEventLog
@_exported public import struct EventLog.Timestamp
@_exported public import struct EventLog.Topic
@_exported public import struct EventLog.TopicError
@_exported public import struct EventLog.TopicPattern
@_exported public import struct EventLog.TopicSummary
@_exported public import Logging
@_exported public import class MicroHTTP.ServerCertificate
@_exported public import struct MicroHTTP.ServerConfiguration
@_exported public import struct MicroHTTP.ServerError
@_exported public import struct Posix.IPAddress
@_exported public import struct Webhooks.CIDRBlock
@_exported public import struct Webhooks.EgressProxy
@_exported public import struct Webhooks.RetryPolicy
@_exported public import struct Webhooks.WebhookConfiguration
@_exported public import struct Webhooks.WebhookError
@_exported public import struct Webhooks.WebhookURL

/// Where an observer in the process is called; a webhook's delivery is `Webhooks.DueDelivery`.
public typealias Delivery = Broadcasting.Delivery
