/** The processes of contestants. Each has its own, so that none meets the garbage or the patches of another. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Sample } from '../support/measure.ts'
import { baselines, peers, type Baseline, type Peer } from './field.ts'
import type { Work } from './work.ts'

export interface Played {
  readonly sample: Sample
  /** Bytes: the peak of the process so far. */
  readonly maxRss: number
}

export interface Contestant {
  readonly label: string
  /** Rejects where the contestant did not do the work. */
  readonly play: (work: Work) => Promise<Played>
  readonly stop: () => Promise<void>
}

type Answer = Played | { readonly error: string } | { readonly ready: true }

/** What starts a contestant. `scratch`: where the packages are installed. */
export interface Entrant {
  readonly label: string
  readonly start: () => Promise<Contestant>
}

export function entrants(scratch: string): Entrant[] {
  const ofPeer = ({ label, folder, module, create }: Peer): Entrant => {
    const args = ['peer', join(scratch, folder, module), create]
    return { label, start: () => startContestant(label, args) }
  }
  const ofBaseline = (name: Baseline): Entrant => ({
    label: name,
    start: () => startContestant(name, ['baseline', name]),
  })
  return [...peers.map(ofPeer), ...baselines.map(ofBaseline)]
}

async function startContestant(label: string, args: readonly string[]): Promise<Contestant> {
  const child = fork(join(import.meta.dirname, 'contestant-process.ts'), args, {
    execArgv: args[0] === 'baseline' ? ['--conditions=troupe-source'] : [],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await answerOf(child, label)
  return {
    label,
    async play(work) {
      child.send(work)
      const answer = await answerOf(child, label)
      if (!('sample' in answer)) throw new Error(`${label} did not do its work.`)
      return answer
    },
    async stop() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

async function answerOf(child: ChildProcess, label: string): Promise<Answer> {
  const ended = new AbortController()
  const answered = once(child, 'message', { signal: ended.signal })
  const exited = once(child, 'exit', { signal: ended.signal })
  try {
    const [first] = (await Promise.race([answered, exited])) as [Answer | number | null]
    if (first === null || typeof first === 'number')
      throw new Error(`${label}: its process ended with ${first}.`)
    if ('error' in first) throw new Error(`${label}: ${first.error}`)
    return first
  } finally {
    ended.abort()
    await Promise.allSettled([answered, exited])
  }
}
