/**
 * Types that the types of `troupe/audit` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { Verifying as VerifyingStore } from './chained-store.ts'
