/**
 * Types that the types of `troupe/testing` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { Action as TestAction, LastStep } from './graph/test-logic.ts'
export type { MachineModel } from './graph/test-model.ts'
