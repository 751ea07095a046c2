/** Journals that tell when an entry was changed, removed or put in: each entry has a keyed digest of it and of those before it. */
export { chainedStore, type ChainedStore } from './chained-store.ts'
export { verifyJournal } from './verify.ts'
export type { ChainFault, ChainKeys, JournalHead, LinkedEntry, Verification, VerifyOptions } from './chain.ts'
export type * from './named-parts.ts'
