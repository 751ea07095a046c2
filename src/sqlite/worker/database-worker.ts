/** The thread that has the database: it performs operations one after another, in their order. */
import type { StoreOperations } from '../../kit/sql/index.ts'
import { parentPort, workerData } from 'node:worker_threads'
import type { Database } from '../connection/database.ts'
import { openDatabase } from '../connection/open-database.ts'
import { backUp } from '../connection/backup.ts'
import { operationsOn } from '../tables/operations.ts'
import { storeFailure } from '../connection/store-failure.ts'
import type { Answer, Question, WorkerInput } from './worker-messages.ts'

const { file, options } = workerData as WorkerInput

interface Opened {
  readonly database: Database
  readonly operations: StoreOperations
}

let opened: Opened | undefined

function open(): Opened {
  const database = openDatabase(file, options, options.busyTimeout) // a wait blocks this thread only
  return { database, operations: operationsOn(database) }
}

/** A database that cannot be opened is tried again with the next operation; each of them rejects with the reason. */
function answer({ name, args }: Question): unknown {
  if (name === 'close') {
    opened?.database.close()
    return undefined
  }
  if (name === 'backUp') return backUp(file, String(args[0]), options.busyTimeout)
  const { database, operations } = (opened ??= open())
  const operation = operations[name] as (...args: readonly unknown[]) => unknown
  return database.attempt(() => operation(...args))
}

parentPort?.on('message', (question: Question) => {
  const { id } = question
  let reply: Answer
  try {
    reply = { id, value: answer(question) }
  } catch (error) {
    const { code, message } = storeFailure(error, file)
    reply = { id, error: { code, message } }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(reply)
})
