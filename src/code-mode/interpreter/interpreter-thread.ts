/** The thread in which programs run, one after another. It holds those that wait. */
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { newQuickJSWASMModule } from 'quickjs-emscripten'
import type { Order, Report } from './messages.ts'
import { Sandbox, type LegEnd } from './sandbox.ts'

const held = new Map<string, Sandbox>()
const quickjs = await newQuickJSWASMModule()
const { version } = createRequire(import.meta.url)('quickjs-emscripten/package.json') as { version: string }
const interpreter = `quickjs-emscripten ${version}`

function forget(key: string): void {
  held.get(key)?.dispose()
  held.delete(key)
}

function run({ key, begin, leg }: Order): LegEnd {
  if (begin !== undefined) {
    forget(key)
    const begun = new Sandbox(quickjs, begin)
    held.set(key, begun)
    return begun.start()
  }
  const sandbox = held.get(key)
  if (sandbox === undefined || leg === undefined)
    throw new Error(`The thread does not hold the program ${key}.`)
  return sandbox.goOn(leg)
}

/** Whatever it throws comes from the interpreter itself: its memory may be damaged. */
function attempt<Value>(work: () => Value): { readonly value: Value } | { readonly message: string } {
  try {
    return { value: work() }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

function report(order: Order): Report {
  const cleared = attempt(() => order.forget.forEach(forget))
  const ran = attempt(() => run(order))
  const end: LegEnd = 'value' in ran ? ran.value : brokenDown(ran.message)
  const ended = attempt(() => (end.state === 'calls' ? undefined : forget(order.key)))
  const isBroken = [cleared, ran, ended].some((done) => 'message' in done)
  return { outcome: { ...end, interpreter }, ...(isBroken ? { isBroken } : {}) }
}

function brokenDown(message: string): LegEnd {
  const text = `The interpreter broke down: ${message}`
  return { state: 'failed', error: { name: 'CodeError', code: 'CODE_FAILED', message: text } }
}

parentPort?.on('message', (order: Order) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(report(order))
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready')
