/**
 * Sends operations to a database in a thread of its own, so that waits for the disk do not block the event loop. The
 * thread keeps the process alive exactly while an operation is open.
 */
import { StoreError } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import type { Ask } from '../../kit/sql/index.ts'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { about, closed, storeFailure } from '../connection/store-failure.ts'
import type { Answer, Question, WorkerInput } from './worker-messages.ts'

export interface WorkerDatabase {
  readonly ask: Ask
  /** Writes a copy of the file to a new file. */
  readonly backUp: (target: string) => Promise<void>
  /** Performs the operations that were sent before, then ends the thread. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: StoreError) => void
}

/** Node refuses a thread to a program with `--permission`, unless it has `--allow-worker`. */
function startWorker(file: string, address: URL, options: WorkerOptions): Worker {
  try {
    return new Worker(address, options)
  } catch (cause) {
    throw new StoreError(about(file, `Node gives it no thread. ${toErrorData(cause).message}`), {
      code: 'STORE_UNAVAILABLE',
      cause,
    })
  }
}

export function askWorker(input: WorkerInput): WorkerDatabase {
  // The published file is JavaScript; run from source, Node strips the types of this one.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = startWorker(input.file, new URL(`./database-worker.${extension}`, import.meta.url), {
    workerData: input,
    execArgv: [], // flags of the program, such as --input-type, are not for this file
  })
  const waiting = new Map<number, Waiting>()
  const exited = Promise.withResolvers<void>()
  let count = 0
  let gone: StoreError | undefined
  let closing: Promise<void> | undefined

  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0 && closing === undefined) worker.unref()
    if ('error' in answer) asked?.reject(new StoreError(answer.error.message, { code: answer.error.code }))
    else asked?.resolve(answer.value)
  })
  worker.on('error', (cause) => {
    const { message } = toErrorData(cause)
    end(new StoreError(about(input.file, `its thread has broken down: ${message}`), { cause }))
  })
  worker.on('exit', () => {
    end(new StoreError(about(input.file, 'its thread has ended.')))
    exited.resolve()
  })
  worker.unref() // after the listeners: a listener for messages would undo it

  function end(reason: StoreError): void {
    gone ??= reason
    for (const asked of waiting.values()) asked.reject(gone)
    waiting.clear()
  }

  function send(name: Question['name'], args: readonly unknown[]): Promise<unknown> {
    if (gone !== undefined) return Promise.reject(gone)
    return new Promise((resolve, reject) => {
      const id = count++
      try {
        const question: Question = { id, name, args }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(question)
      } catch (error) {
        reject(storeFailure(error, input.file)) // a value that cannot cross threads
        return
      }
      waiting.set(id, { resolve, reject })
      worker.ref()
    })
  }

  async function close(): Promise<void> {
    await send('close', [])
    await worker.terminate() // the database is closed
    await exited.promise
  }

  return {
    ask: (name, ...args) =>
      (closing === undefined ? send(name, args) : Promise.reject(closed(input.file))) as never,
    backUp: async (target) => void (await send('backUp', [target])),
    close: () => (closing ??= close()),
  }
}
