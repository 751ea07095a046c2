/**
 * Shows the runs of a troupe in the Stately inspector. Needs the optional peer `@statelyai/inspect`; to
 * send to a `url`, also the optional peer `ws`.
 */
export { statelyInspector } from './stately-inspector.ts'
export type { StatelyInspector, StatelyInspectorOptions } from './stately-inspector.ts'
export type { MessageAdapter } from './transport.ts'
