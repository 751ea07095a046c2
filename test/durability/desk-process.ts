/** A process with a desk on a file: it starts a run, recovers what there is, or answers; and says how it goes. */
import { createTroupe, SignalError, type AwaitedSignal, type Run, type RunSignal } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { createDesk, type DeskOptions } from './desk.ts'

export interface DeskProcessOptions extends DeskOptions {
  readonly file: string
  /** Milliseconds; see `createTroupe`. */
  readonly leaseTtl: number
  readonly passivateAfter: number
  readonly does:
    | { readonly verb: 'start'; readonly task: string }
    | { readonly verb: 'recover' }
    | { readonly verb: 'signal'; readonly runId: string; readonly signal: RunSignal }
}

export type DeskNews =
  | { readonly type: 'started'; readonly runId: string }
  | { readonly type: 'suspended'; readonly awaiting: readonly AwaitedSignal[] }
  | { readonly type: 'ended'; readonly runId: string; readonly outcome: string; readonly text: string }
  | { readonly type: 'recovered'; readonly runIds: readonly string[] }
  | { readonly type: 'signalled'; readonly code: string }

const { file, leaseTtl, passivateAfter, does, ...options } = JSON.parse(
  process.argv[2] ?? '{}',
) as DeskProcessOptions
const desk = createDesk(options)
const store = sqliteStore(file)
const troupe = createTroupe({ agents: [desk], store, leaseTtl, passivateAfter, pollInterval: 20 })

const say = (news: DeskNews): void => void process.send?.(news)
process.on('disconnect', () => process.exit())

async function follow(run: Run): Promise<void> {
  const idle = await run.whenIdle
  if (idle.outcome === 'suspended') say({ type: 'suspended', awaiting: idle.awaiting })
  const { outcome, text } = await run.result
  say({ type: 'ended', runId: run.id, outcome, text })
}

switch (does.verb) {
  case 'start': {
    const run = await troupe.start(desk, does.task)
    say({ type: 'started', runId: run.id })
    await follow(run)
    break
  }
  case 'recover': {
    const { runs } = await troupe.recover()
    say({ type: 'recovered', runIds: runs.map(({ id }) => id) })
    await Promise.all(runs.map(follow))
    break
  }
  case 'signal':
    try {
      await troupe.signal(does.runId, does.signal)
      say({ type: 'signalled', code: 'taken' })
    } catch (error) {
      if (!(error instanceof SignalError)) throw error
      say({ type: 'signalled', code: error.code })
    }
    break
}
