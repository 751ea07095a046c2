/**
 * Events of runs as chunks of TrustGraph.
 * @experimental
 */
export { fanOutDelegation } from './fan-out-delegation.ts'
export { toTrustGraphChunks, type TrustGraphChunkOptions } from './to-chunks.ts'
export type { TrustGraphChunk } from './chunk.ts'
