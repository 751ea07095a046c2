/** A process that is told one thing, writes it down at once, and is killed in that moment. Its argument is JSON. */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createTroupe, type Run } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { scenes, type SceneName } from './told-scenes.ts'

/** A promise or an event of the public interface. */
export type Asked =
  | { readonly what: 'event'; readonly type: string }
  | { readonly what: 'start' | 'result' | 'whenIdle' | 'textStream' }
  | { readonly what: 'resume' | 'recover' | 'fork'; readonly runId: string }

export interface ToldOptions {
  readonly file: string
  readonly synchronous: 'full' | 'normal'
  readonly scene: SceneName
  readonly asked: Asked
}

export interface Told {
  readonly runId: string
  readonly told: unknown
}

// A process that is killed writes no cache at its end.
flushCompileCache()

const { file, synchronous, scene, asked } = JSON.parse(process.argv[2] ?? '') as ToldOptions
const { agent, options, act } = scenes[scene]()
const troupe = createTroupe({ agents: [agent], store: sqliteStore(file, { synchronous }) })

function isTold({ id: runId }: Run, told: unknown): void {
  writeSync(1, JSON.stringify({ runId, told } satisfies Told))
  process.kill(process.pid, 'SIGKILL')
}

async function follow(run: Run): Promise<void> {
  const type = asked.what === 'event' ? asked.type : undefined
  for await (const event of run.events) {
    if (event.type === type && event.seq !== undefined) isTold(run, event)
    await act?.(run, event)
  }
}

async function begun(stream: boolean): Promise<Run> {
  return troupe.start(agent, 'Go', { ...options, stream })
}

async function textOf(run: Run): Promise<string> {
  let text = ''
  for await (const piece of run.textStream) text += piece
  return text
}

switch (asked.what) {
  case 'resume':
    isTold(await troupe.resume(asked.runId), null)
    break
  case 'recover': {
    const [first] = (await troupe.recover()).runs
    if (first === undefined) throw new Error('Nothing was recovered.')
    isTold(first, null)
    break
  }
  case 'fork':
    isTold(await troupe.fork(asked.runId, { at: 1 }), null)
    break
  case 'start':
    isTold(await begun(false), null)
    break
  case 'event':
    await follow(await begun(false))
    break
  case 'whenIdle': {
    const run = await begun(false)
    isTold(run, await run.whenIdle)
    break
  }
  case 'result': {
    const run = await begun(false)
    isTold(run, await run.result)
    break
  }
  case 'textStream': {
    const run = await begun(true)
    isTold(run, await textOf(run))
    break
  }
}
