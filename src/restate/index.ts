/** Agents on Restate: the same definitions, run by as many machines as there are. Its server is a program of its own. */
export {
  restateEndpoint,
  type ListenOptions,
  type RestateEndpoint,
  type RestateEndpointConfig,
  type RestateListener,
} from './endpoint.ts'
export { restateTroupe, type RestateTroupe, type RestateTroupeWithStore } from './troupe.ts'
export type { RestateTroupeConfig } from './client-config.ts'
export type { RestateRun } from './remote-run.ts'
export type { ExportedPart, RunExport } from './run-export.ts'
export type { RestateRunSummary } from './run-listing.ts'
export { memoryDeltas, type DeltaSink, type DeltaSource, type WorkerDelta } from './deltas.ts'
export { readDeltas, type DeltaReaderOptions } from './read-deltas.ts'
export { serveDeltas, type DeltaServer, type DeltaServerOptions } from './serve-deltas.ts'
