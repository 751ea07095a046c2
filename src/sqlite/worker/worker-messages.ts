/** The messages between the calling thread and the thread that has the database. */
import type { StoreErrorCode } from '../../index.ts'
import type { OperationName } from '../../kit/sql/index.ts'
import type { DatabaseOptions } from '../connection/open-database.ts'

export interface WorkerInput {
  readonly file: string
  readonly options: DatabaseOptions
}

export interface Question {
  readonly id: number
  readonly name: OperationName | 'close' | 'backUp'
  readonly args: readonly unknown[]
}

/** Errors lose their class on the way, so they go as data. */
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code: StoreErrorCode; readonly message: string } }
