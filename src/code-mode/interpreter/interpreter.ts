/**
 * The interpreter of this process: a thread that runs one leg at a time. A program that does not come back in time ends with its
 * thread; all others are run again from their records.
 */
import { Worker } from 'node:worker_threads'
import { ConfigurationError } from '../../index.ts'
import { startTimer, toErrorData } from '../../kit/index.ts'
import type { EffectCall } from '../../kit/index.ts'
import type { EndedLeg, LegInput, LegOutcome } from '../../kit/host.ts'
import type { Order, Report, SandboxLimits } from './messages.ts'

/** As the limits of code mode. */
export interface LegLimits extends SandboxLimits {
  /** Milliseconds that a leg may take. */
  readonly time: number
}

/** A program that the thread holds, as it stands. */
interface Held {
  readonly program: string
  readonly names: readonly string[]
  readonly limits: LegLimits
  readonly legs: number
  /** The last leg that the program went on with: another run of the same id has another. */
  readonly last: EndedLeg | undefined
}

interface Thread {
  readonly worker: Worker
  /** Settles when the interpreter is loaded. */
  readonly isReady: Promise<unknown>
  /** The programs that it holds, the least recently used first. */
  readonly held: Map<string, Held>
}

/** Bytes that waiting programs may hold in the thread: any other is run again from its record. */
const mostHeld = 256 * 1024 * 1024

export class Interpreter {
  #thread: Thread | undefined
  /** The end of the leg before: legs run one after another. */
  #last: Promise<unknown> = Promise.resolve()
  #forget: string[] = []

  /** Runs a leg. Rejects where the interpreter cannot be loaded. */
  run(leg: LegInput, limits: LegLimits, call: EffectCall): Promise<LegOutcome> {
    const key = `${call.runId}\n${call.path}`
    const ran = this.#last.then(async () => {
      try {
        return await this.#perform(key, leg, limits)
      } finally {
        if (call.signal.aborted) this.#drop(key) // nobody goes on with it
      }
    })
    this.#last = ran.catch(() => undefined)
    return ran
  }

  async #perform(key: string, leg: LegInput, limits: LegLimits): Promise<LegOutcome> {
    const { program, names, legs } = leg
    const thread = (this.#thread ??= startThread())
    const held = thread.held.get(key)
    const goesOn = held !== undefined && isBefore(held, leg, limits)
    const { time, ...sandbox } = limits
    const forget = this.#forget.splice(0)
    const order = (what: Pick<Order, 'begin' | 'leg'>): Promise<LegOutcome> =>
      this.#order(thread, { key, ...what, forget: forget.splice(0) }, time)
    let outcome: LegOutcome
    try {
      await thread.isReady
      outcome = await order(goesOn ? { leg: legs.at(-1) } : { begin: { program, names, limits: sandbox } })
      for (const leg of goesOn ? [] : legs) {
        if (outcome.state !== 'calls') break
        outcome = await order({ leg })
      }
    } catch (error) {
      this.#thread = undefined
      await thread.worker.terminate()
      throw error
    }
    const { length } = legs
    if (outcome.state === 'calls')
      this.#hold(thread, key, { program, names, limits, legs: length, last: legs.at(-1) })
    else thread.held.delete(key)
    return outcome
  }

  async #order(thread: Thread, order: Order, time: number): Promise<LegOutcome> {
    const report = await reportOf(thread.worker, order, time)
    if (report.isBroken === true) {
      this.#thread = undefined
      await thread.worker.terminate()
    }
    return report.outcome
  }

  #hold({ held }: Thread, key: string, program: Held): void {
    held.delete(key) // the newest stands last
    held.set(key, program)
    for (const oldest of held.keys()) {
      const bytes = [...held.values()].reduce((sum, { limits }) => sum + limits.memory, 0)
      if (bytes <= mostHeld || oldest === key) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    if (this.#thread?.held.delete(key) === true) this.#forget.push(key)
  }
}

/** Whether the program that is held goes on with the last leg: two troupes may have a run of the same id. */
function isBefore(held: Held, { program, names, legs }: LegInput, limits: LegLimits): boolean {
  return (
    held.program === program &&
    held.names.join('\n') === names.join('\n') &&
    held.limits === limits &&
    legs.length === held.legs + 1 &&
    legs.at(-2) === held.last
  )
}

function startThread(): Thread {
  // The published file is JavaScript; run from source, Node strips the types of this one.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./interpreter-thread.${extension}`, import.meta.url), {
    execArgv: [], // flags of the program, such as --input-type, are not for this file
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const isReady = answerOf<unknown>(worker, () => undefined)
  isReady.catch(() => undefined) // the leg that waits for it is told
  return { worker, isReady, held: new Map() }
}

/** The next message of the thread. It keeps the process alive until then. */
function answerOf<Message>(
  worker: Worker,
  begin: (settle: (late: Message) => void) => void,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const heard = (message: Message) => settle(() => resolve(message))
    const failed = (cause: unknown) => settle(() => reject(cannotStart(cause)))
    const exited = () => failed(new Error('its thread has ended'))
    function settle(then: () => void): void {
      worker.off('message', heard).off('error', failed).off('exit', exited)
      worker.unref()
      then()
    }
    worker.on('message', heard).on('error', failed).on('exit', exited)
    worker.ref()
    begin(heard)
  })
}

/** The code by which Node tells that the heap of a thread is full. */
const heapFull = 'ERR_WORKER_OUT_OF_MEMORY'

/** What the thread says of an order. One that has run out of memory, or is late, is broken. */
async function reportOf(worker: Worker, order: Order, time: number): Promise<Report> {
  let stop: () => void = () => undefined
  try {
    return await answerOf<Report>(worker, (settle) => {
      stop = startTimer(time, () =>
        settle(broken('CODE_TIMEOUT', `it ran for more than ${time} ms without a pause`)),
      )
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(order)
    })
  } catch (error) {
    const { cause } = error as ConfigurationError
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== heapFull) throw error
    return broken('CODE_OUT_OF_MEMORY', 'what it asked for does not fit into the memory of its thread')
  } finally {
    stop()
  }
}

function broken(code: string, why: string): Report {
  const error = { name: 'CodeError', code, message: `The program was stopped: ${why}.` }
  return { outcome: { interpreter: 'none', state: 'outOfFuel', error }, isBroken: true }
}

function cannotStart(cause: unknown): ConfigurationError {
  const { message } = toErrorData(cause)
  return new ConfigurationError(
    `The interpreter of programs cannot run: ${message}. Is quickjs-emscripten installed? (npm install quickjs-emscripten)`,
    { cause },
  )
}
