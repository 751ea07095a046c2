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

interface Held {
  readonly legs: number
  /** The last leg that the program went on with: another run of the same id has another. */
  readonly last: EndedLeg | undefined
}

interface Thread {
  readonly worker: Worker
  /** The programs that it holds, the least recently used first. */
  readonly held: Map<string, Held>
}

/** How many waiting programs the thread holds: any other is run again from its record. */
const mostHeld = 64

export class Interpreter {
  #thread: Thread | undefined
  /** The end of the leg before: legs run one after another. */
  #last: Promise<unknown> = Promise.resolve()
  #forget: string[] = []

  /** Runs a leg. Rejects where the interpreter cannot be loaded, and where the run lets the leg go. */
  run(names: readonly string[], leg: LegInput, limits: LegLimits, call: EffectCall): Promise<LegOutcome> {
    const key = `${call.runId}\n${call.path}`
    const ran = this.#last.then(() => {
      if (!call.signal.aborted) return this.#perform(key, names, leg, limits)
      this.#drop(key)
      throw call.signal.reason
    })
    this.#last = ran.catch(() => undefined)
    return ran
  }

  async #perform(
    key: string,
    names: readonly string[],
    { program, legs }: LegInput,
    { time, ...limits }: LegLimits,
  ): Promise<LegOutcome> {
    const thread = (this.#thread ??= startThread())
    const held = thread.held.get(key)
    const goesOn = held !== undefined && legs.length === held.legs + 1 && legs.at(-2) === held.last
    const order: Order = {
      key,
      ...(goesOn ? {} : { begin: { program, names, limits } }),
      legs: goesOn ? [legs.at(-1) as EndedLeg] : legs.toArray(),
      forget: this.#forget.splice(0),
    }
    const report = await reportOf(thread.worker, order, time * (1 + order.legs.length))
    if (report === 'late' || report.isBroken === true) {
      this.#thread = undefined
      await thread.worker.terminate()
    }
    if (report === 'late') return tooLate(time)
    if (report.outcome.state === 'calls') this.#hold(thread, key, { legs: legs.length, last: legs.at(-1) })
    else thread.held.delete(key)
    return report.outcome
  }

  #hold({ held }: Thread, key: string, program: Held): void {
    held.delete(key) // the newest stands last
    held.set(key, program)
    const [oldest] = held.keys()
    if (held.size > mostHeld && oldest !== undefined) this.#drop(oldest)
  }

  #drop(key: string): void {
    if (this.#thread?.held.delete(key) === true) this.#forget.push(key)
  }
}

function startThread(): Thread {
  // The published file is JavaScript; run from source, Node strips the types of this one.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./interpreter-thread.${extension}`, import.meta.url), {
    execArgv: [], // flags of the program, such as --input-type, are not for this file
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.unref()
  return { worker, held: new Map() }
}

/** What the thread says of an order. It keeps the process alive while it works. */
function reportOf(worker: Worker, order: Order, time: number): Promise<Report | 'late'> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(time, () => settle(() => resolve('late')))
    const heard = (report: Report) => settle(() => resolve(report))
    const failed = (cause: unknown) => settle(() => reject(cannotStart(cause)))
    const exited = () => failed(new Error('its thread has ended'))
    function settle(then: () => void): void {
      stop()
      worker.off('message', heard).off('error', failed).off('exit', exited)
      worker.unref()
      then()
    }
    worker.on('message', heard).on('error', failed).on('exit', exited)
    worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(order)
  })
}

function cannotStart(cause: unknown): ConfigurationError {
  const { message } = toErrorData(cause)
  return new ConfigurationError(
    `The interpreter of programs cannot run: ${message}. Is quickjs-emscripten installed? (npm install quickjs-emscripten)`,
    { cause },
  )
}

function tooLate(time: number): LegOutcome {
  const message = `The program was stopped: it ran for more than ${time} ms without a pause.`
  return {
    interpreter: 'none',
    state: 'outOfFuel',
    error: { name: 'CodeError', code: 'CODE_TIMEOUT', message },
  }
}
