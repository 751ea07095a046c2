/**
 * Shows the runs of a troupe in the Stately inspector. Needs the optional peer `@statelyai/inspect`.
 * @experimental
 */
export { statelyInspector } from './stately-inspector.ts'
export type { StatelyInspector, StatelyInspectorOptions } from './stately-inspector.ts'
export type { MessageAdapter } from './transport.ts'
