/**
 * Agents on Restate: the same definitions, run by any number of machines. The Restate server is a program of its own.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it refuses an unfit version before anything else is loaded
import './wire/fit-clients.ts'

export {
  restateEndpoint,
  type ListenOptions,
  type RestateEndpoint,
  type RestateEndpointConfig,
  type RestateListener,
} from './worker/endpoint.ts'
export {
  restateTroupe,
  type RestateResumeOptions,
  type RestateTroupe,
  type RestateTroupeWithStore,
} from './client/troupe.ts'
export type { RestateTroupeConfig } from './client/client-config.ts'
export type { RestateSealing } from './wire/sealing.ts'
export type { RestateRun } from './client/remote-run.ts'
export type { ExportedPart, RunExport } from './client/run-export.ts'
export type { RestateQuestionFilter } from './client/open-questions.ts'
export type { RestateRunFilter, RestateRunSummary } from './client/run-listing.ts'
export { memoryDeltas, type DeltaSink, type DeltaSource, type WorkerDelta } from './deltas/deltas.ts'
export { readDeltas, type DeltaReaderOptions } from './deltas/read-deltas.ts'
export { serveDeltas, type DeltaServer, type DeltaServerOptions } from './deltas/serve-deltas.ts'
export type * from './named-parts.ts'
