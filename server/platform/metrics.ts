import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * This process's own counters for Prometheus; server/metrics adds the state of the installation. Every label has a
 * closed set of values (a route's pattern, a task, an event), never outside input, so that nobody can multiply the
 * series. docs/operate.md lists them all.
 */
export const processMetrics = new Registry()
const registers = [processMetrics]

/** http.server.request.duration of OpenTelemetry's conventions (HTTP Metrics), with their buckets. */
export const requestSeconds = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Seconds from the first byte of a request to the last byte of its answer; status code 0: the client disconnected first',
  labelNames: ['http_request_method', 'http_route', 'http_response_status_code'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  registers,
})

export const requestsInFlight = new Gauge({
  name: 'probity_http_requests_in_flight',
  help: 'Requests in progress, without live streams',
  registers,
})

export const liveStreams = new Gauge({
  name: 'probity_live_streams',
  help: 'Open pages that receive live updates',
  registers,
})

export const jobSeconds = new Histogram({
  name: 'probity_job_duration_seconds',
  help: 'Seconds that an attempt of a job took, by outcome: done, retried or failed (for good)',
  labelNames: ['task', 'outcome'] as const,
  buckets: [0.01, 0.05, 0.2, 1, 5, 30, 300],
  registers,
})

export const startWaiting = new Gauge({
  name: 'probity_start_waiting',
  help: '1 while this process waits at its start for the database',
  registers,
})

export const clockOffset = new Gauge({
  name: 'probity_clock_offset_seconds',
  help: "Seconds by which this machine's clock is ahead of the database's; beyond 5 either way the process decides nothing",
  registers,
})

export const queueRestarts = new Counter({
  name: 'probity_queue_restarts_total',
  help: 'Times that this process had to start its job queue again, after an outage of the database',
  registers,
})

export const mails = new Counter({
  name: 'probity_mails_total',
  help: 'Attempts to send an email, by outcome: sent, failed (retried), refused (permanently) or expired',
  labelNames: ['outcome'] as const,
  registers,
})

export const replies = new Counter({
  name: 'probity_replies_total',
  help: 'Messages in the mailbox of replies, by outcome: taken, refused (their senders were told), unmatched or failed (tried again)',
  labelNames: ['outcome'] as const,
  registers,
})

export const ledgerPosts = new Counter({
  name: 'probity_ledger_posts_total',
  help: 'Business events posted to the books or refused by them, even if their transaction was rolled back later',
  labelNames: ['event', 'outcome'] as const,
  registers,
})
