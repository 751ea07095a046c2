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

function drop(key: string): void {
  held.get(key)?.dispose()
  held.delete(key)
}

function run({ key, begin, legs, forget }: Order): LegEnd {
  for (const other of forget) drop(other)
  let sandbox = held.get(key)
  let end: LegEnd | undefined
  if (begin !== undefined) {
    drop(key)
    sandbox = new Sandbox(quickjs, begin)
    held.set(key, sandbox)
    end = sandbox.start()
  }
  for (const leg of legs) {
    if (sandbox === undefined || (end !== undefined && end.state !== 'calls')) break
    end = sandbox.goOn(leg)
  }
  if (end === undefined) throw new Error(`The thread does not hold the program ${key}.`)
  if (end.state !== 'calls') drop(key)
  return end
}

/** Whatever is thrown comes from the interpreter itself: its memory may be damaged. */
function report(order: Order): Report {
  try {
    return { outcome: { ...run(order), interpreter } }
  } catch (error) {
    const message = `The interpreter broke down: ${error instanceof Error ? error.message : String(error)}`
    return {
      outcome: { interpreter, state: 'failed', error: { name: 'CodeError', code: 'CODE_FAILED', message } },
      isBroken: true,
    }
  }
}

parentPort?.on('message', (order: Order) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(report(order))
})
