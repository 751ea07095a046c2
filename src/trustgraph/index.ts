export { toTrustGraphChunks, type TrustGraphChunk } from './to-chunks.ts'
