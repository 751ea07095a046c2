/** A store whose content is sealed before it is stored: by a codec of yours or AES-256-GCM, with a key for each resource. */
export { sealedStore, type SealedStore, type SealedStoreOptions } from './sealed-store.ts'
export { aesCodec, type AesCodecOptions } from './aes-codec.ts'
export type { OpenContext, SealCodec, SealContext, SealKey, SealKeys } from './codec.ts'
export { restateSealing, type PayloadSealing, type RestateSealingOptions } from './restate-sealing.ts'
export type { Redact } from './redact.ts'
