/** One program in an interpreter of its own: it has JavaScript and the tools, and nothing of this process. */
import { isDeepStrictEqual } from 'node:util'
import type {
  QuickJSContext,
  QuickJSDeferredPromise,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from 'quickjs-emscripten'
import type { JsonValue } from '../../index.ts'
import type { CallOutcome, EndedLeg, LegOutcome, ProgramCall } from '../../kit/host.ts'
import type { Beginning } from './messages.ts'

/** How a leg ends, without the name of the interpreter. */
export type LegEnd = WithoutName<LegOutcome>
type WithoutName<Leg> = Leg extends unknown ? Omit<Leg, 'interpreter'> : never

interface MadeCall extends ProgramCall {
  readonly promise: QuickJSDeferredPromise
}

/** The interpreter asks this often whether a program may go on. */
const instructionsPerCheck = 10_000

/** Characters of the arguments of all calls of a program: they leave its memory. */
const mostAsked = 1_000_000

/** Bytes of the stack: deeper recursion is an error of the program. */
const stackSize = 256 * 1024

/**
 * A program has nothing that differs from one run to the next: no clock, no randomness, no view of the memory. What the prelude
 * needs it takes before the program can change it.
 */
const prelude = `(call, log, settle, names) => {
  'use strict'
  const { parse, stringify } = JSON
  const { String, Error, Object, Proxy, TypeError } = globalThis
  for (const name of ['Date', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'performance'])
    delete globalThis[name]
  Math.random = () => { throw new Error('A program has no randomness: it must do the same each time.') }
  const use = async (name, args) => {
    const made = stringify(args === undefined ? {} : args)
    const text = await call(name, made === undefined ? 'null' : made)
    const { value, error } = parse(text)
    if (error === undefined) return value
    throw Object.assign(new Error(error.message), { name: error.name, code: error.code })
  }
  const tools = Object.create(null)
  for (const name of parse(names)) tools[name] = (args) => use(name, args)
  const text = (part) => (typeof part === 'string' ? part : stringify(part) ?? String(part))
  const write = (...parts) => log(stringify(parts.map(text).join(' ')))
  const missing = (name) => new TypeError('There is no tool "' + name + '". There are: ' + Object.keys(tools).join(', ') + '.')
  globalThis.tools = new Proxy(Object.freeze(tools), {
    get: (all, name) => {
      if (name in all || typeof name === 'symbol' || name === 'then') return all[name]
      throw missing(name)
    },
  })
  globalThis.console = Object.freeze({ log: write, info: write, warn: write, error: write, debug: write })
  const fail = (thrown) => {
    try {
      const isError = thrown instanceof Error
      const { name, message, stack } = isError ? thrown : { name: 'Error', message: text(thrown) }
      settle('failed', stringify({ name: String(name), message: String(message), stack: String(stack ?? '') }))
    } catch {
      settle('failed', '{"message":"The program threw a value that cannot be read."}')
    }
  }
  return async (program) => {
    try {
      const value = await program()
      settle('done', typeof value, stringify(value))
    } catch (thrown) {
      fail(thrown)
    }
  }
}`

export class Sandbox {
  readonly #runtime: QuickJSRuntime
  readonly #vm: QuickJSContext
  readonly #begin: Beginning
  #checks = 0
  #isOutOfFuel = false
  #made = 0
  /** Characters of the arguments of all calls. */
  #asked = 0
  #log: string[] = []
  #logged = 0
  #pending: MadeCall[] = []
  #end: LegEnd | undefined

  constructor(quickjs: QuickJSWASMModule, begin: Beginning) {
    this.#begin = begin
    this.#runtime = quickjs.newRuntime()
    this.#runtime.setMemoryLimit(begin.limits.memory)
    this.#runtime.setMaxStackSize(stackSize)
    this.#runtime.setInterruptHandler(() => this.#mustStop())
    this.#vm = this.#runtime.newContext()
  }

  /** Runs the program to its first rest. */
  start(): LegEnd {
    const { program, names } = this.#begin
    const parts = [
      this.#vm.newFunction('call', (name, args) =>
        this.#call(this.#vm.getString(name), this.#vm.getString(args)),
      ),
      this.#vm.newFunction('log', (text) => this.#write(JSON.parse(this.#vm.getString(text)) as string)),
      this.#vm.newFunction('settle', (state, ...parts) =>
        this.#settle(
          this.#vm.getString(state),
          parts.map((part) => this.#textIn(part)),
        ),
      ),
      this.#vm.newString(JSON.stringify(names)),
    ]
    const run = this.#unwrapped(this.#evaluated(prelude, 'prelude.js'), ...parts)
    for (const part of parts) part.dispose()
    if (run.error !== undefined) return run.error
    // After the prelude: what stands beside the program in its text finds nothing that is not its own.
    const begun = this.#evaluated(`(async () => {${program}\n})`, 'program.js')
    if (begun.error !== undefined) {
      run.value.dispose()
      return begun.error
    }
    const started = this.#unwrapped(run, begun.value)
    begun.value.dispose()
    if (started.error !== undefined) return started.error
    started.value.dispose()
    return this.#rest()
  }

  /** Goes on with the outcomes of the calls that the program waits for. */
  goOn({ calls, outcomes }: EndedLeg): LegEnd {
    const waiting = this.#pending
    const made = waiting.map(({ name, args }) => ({ name, args }))
    if (!isDeepStrictEqual(made, calls)) return failed('CODE_DIVERGED', diverged)
    this.#pending = []
    for (const [place, { promise }] of waiting.entries()) this.#give(promise, outcomes[place])
    return this.#rest()
  }

  dispose(): void {
    for (const { promise } of this.#pending) promise.dispose()
    this.#vm.dispose()
    this.#runtime.dispose()
  }

  #mustStop(): boolean {
    this.#checks++
    this.#isOutOfFuel = this.#checks * instructionsPerCheck > this.#begin.limits.instructions
    return this.#isOutOfFuel
  }

  #call(name: string, text: string): QuickJSHandle {
    const promise = this.#vm.newPromise()
    const { limits } = this.#begin
    this.#made++
    this.#asked += text.length
    if (this.#made > limits.calls)
      this.#give(promise, refused(`A program makes at most ${limits.calls} calls.`))
    else if (this.#asked > mostAsked)
      this.#give(promise, refused(`The arguments of all calls have at most ${mostAsked} characters.`))
    else this.#pending.push({ name, args: JSON.parse(text) as JsonValue, promise })
    return promise.handle
  }

  #give(promise: QuickJSDeferredPromise, outcome: CallOutcome | undefined): void {
    const { error, value } = outcome ?? refused('The call has no outcome.')
    const given = error === undefined ? { value } : { error }
    const text = this.#vm.newString(JSON.stringify(given))
    promise.resolve(text)
    text.dispose()
  }

  #write(text: string): void {
    const left = this.#begin.limits.text - this.#logged
    if (left <= 0) return
    const line = text.slice(0, left)
    this.#logged += line.length + 1
    this.#log.push(line)
  }

  #settle(state: string, [first = '', second]: readonly (string | undefined)[]): void {
    this.#end = state === 'done' ? this.#answer(first, second) : errorEnd(readError(first))
  }

  #answer(type: string, text: string | undefined): LegEnd {
    const said = type === 'undefined' ? this.#log.join('\n') : saidIn(type, text)
    const most = this.#begin.limits.text
    if (said.length <= most) return { state: 'done', text: said }
    return failed(
      'CODE_RESULT_TOO_LARGE',
      `The result has ${said.length} characters; at most ${most} are allowed. Return less.`,
    )
  }

  #textIn(part: QuickJSHandle): string | undefined {
    return this.#vm.typeof(part) === 'undefined' ? undefined : this.#vm.getString(part)
  }

  /** Runs what can run. The program rests where it waits for calls, or has ended and has no call under way. */
  #rest(): LegEnd {
    const ran = this.#runtime.executePendingJobs()
    if (ran.error !== undefined) return this.#thrown(ran.error)
    if (this.#isOutOfFuel) return outOfFuel('CODE_OUT_OF_FUEL', this.#fuelText())
    if (this.#pending.length > 0)
      return { state: 'calls', calls: this.#pending.map(({ name, args }) => ({ name, args })) }
    return this.#end ?? failed('CODE_NEVER_SETTLES', 'The program waits for a promise that nothing settles.')
  }

  #fuelText(): string {
    return `The program was stopped: it has used up its ${this.#begin.limits.instructions} instructions.`
  }

  #evaluated(code: string, file: string): Evaluated {
    return this.#taken(this.#vm.evalCode(code, file))
  }

  #unwrapped(evaluated: Evaluated, ...args: readonly QuickJSHandle[]): Evaluated {
    if (evaluated.error !== undefined) return evaluated
    const result = this.#taken(this.#vm.callFunction(evaluated.value, this.#vm.undefined, ...args))
    evaluated.value.dispose()
    return result
  }

  #taken(result: ReturnType<QuickJSContext['evalCode']>): Evaluated {
    return result.error === undefined ? { value: result.value } : { error: this.#thrown(result.error) }
  }

  #thrown(handle: QuickJSHandle): LegEnd {
    if (this.#isOutOfFuel) {
      handle.dispose()
      return outOfFuel('CODE_OUT_OF_FUEL', this.#fuelText())
    }
    const thrown: unknown = this.#vm.dump(handle)
    handle.dispose()
    return errorEnd(readError(JSON.stringify(hasJson(thrown) ? thrown : String(thrown))))
  }
}

type Evaluated =
  | { readonly value: QuickJSHandle; readonly error?: undefined }
  | { readonly error: LegEnd; readonly value?: undefined }

/** JSON has no text for the others that a program may throw. */
function hasJson(thrown: unknown): boolean {
  return !['bigint', 'symbol', 'undefined', 'function'].includes(typeof thrown)
}

const diverged =
  'The program did not make the calls again that are on record: another version of the interpreter has run it.'

/** A text is said as it is. It comes as JSON, since a text with the character 0 would be cut. */
function saidIn(type: string, text = 'null'): string {
  return type === 'string' ? (JSON.parse(text) as string) : text
}

function refused(message: string): CallOutcome {
  return { error: { name: 'CodeError', code: 'CODE_TOO_MANY_CALLS', message } }
}

function failed(code: string, message: string): LegEnd {
  return { state: 'failed', error: { name: 'CodeError', code, message } }
}

function outOfFuel(code: string, message: string): LegEnd {
  return { state: 'outOfFuel', error: { name: 'CodeError', code, message } }
}

const outOfMemory = outOfFuel('CODE_OUT_OF_MEMORY', 'The program was stopped: it has used up its memory.')

/** The error of a program, bounded, with its line. */
function errorEnd({ name, message, stack }: ThrownError): LegEnd {
  if (name === 'InternalError' && message === 'out of memory') return outOfMemory
  const line = /program\.js:(\d+)/.exec(stack)?.[1]
  const where = line === undefined ? '' : ` (line ${line})`
  return failed('CODE_FAILED', `${name}: ${message}${where}`)
}

/** Characters of an error that are kept. */
const longestError = 2000

type ThrownError = Readonly<Record<'name' | 'message' | 'stack', string>>

const noMessage = 'The program threw a value.'

function readError(text: string): ThrownError {
  const given = JSON.parse(text) as Readonly<Record<string, unknown>> | null
  const part = (key: string, otherwise: string) => {
    const value = given?.[key]
    return typeof value === 'string' && value !== '' ? value.slice(0, longestError) : otherwise
  }
  return {
    name: part('name', 'Error'),
    message: part('message', noMessage),
    stack: part('stack', ''),
  }
}
