/** A worker of one release on a shared store, told what to do: it starts runs, answers, and says what it sees. */
import { createTool, createTroupe, TroupeError, type Run, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { calls, lead } from '../../support/agents/agents.ts'

export interface ReleaseProcessOptions {
  readonly name: string
  readonly leaseTtl: number
  readonly store: { readonly file: string } | { readonly connectionString: string; readonly schema: string }
}

export type ReleaseOrder =
  | { readonly type: 'start' }
  | { readonly type: 'recover' }
  | { readonly type: 'approve'; readonly runId: string; readonly toolCallId: string }

export type ReleaseNews =
  | { readonly type: 'ready' }
  | { readonly type: 'asks'; readonly runId: string; readonly toolCallId: string }
  | {
      readonly type: 'recovered'
      readonly runs: readonly string[]
      readonly left: readonly string[]
      readonly refused: readonly string[]
    }
  | { readonly type: 'approved'; readonly runId: string; readonly code: string }
  | { readonly type: 'ended'; readonly runId: string; readonly text: string }

const options = JSON.parse(process.argv[2] ?? '{}') as ReleaseProcessOptions
const say = (news: ReleaseNews): void => void process.send?.(news)
process.on('disconnect', () => process.exit())

function opened(): Store {
  const { store } = options
  return 'file' in store ? sqliteStore(store.file) : postgresStore(store)
}

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => `paid by ${options.name}`,
})

/** Each run asks once, then ends: its model looks at what it is shown, so that any worker may go on with it. */
const { agent } = lead('lead', [], {
  tools: { pay },
  otherwise: (request) =>
    JSON.stringify(request.messages).includes('paid by')
      ? `Done by ${options.name}.`
      : calls({ name: 'pay', args: {} }),
})
const troupe = createTroupe({
  agents: [agent],
  store: opened(),
  leaseTtl: options.leaseTtl,
  pollInterval: 20,
  passivateAfter: 0,
})

async function follow(run: Run): Promise<void> {
  const idle = await run.whenIdle
  if (idle.outcome === 'suspended')
    say({ type: 'asks', runId: run.id, toolCallId: idle.awaiting[0]?.toolCallId ?? '' })
  const { text } = await run.result
  say({ type: 'ended', runId: run.id, text })
}

async function obey(order: ReleaseOrder): Promise<void> {
  switch (order.type) {
    case 'start':
      await follow(await troupe.start(agent, 'Pay.'))
      break
    case 'recover': {
      const { runs, left, refused } = await troupe.recover({ every: 50 })
      const ids = (list: readonly { readonly runId: string }[]) => list.map(({ runId }) => runId)
      say({ type: 'recovered', runs: runs.map(({ id }) => id), left: ids(left), refused: ids(refused) })
      await Promise.all(runs.map(follow))
      break
    }
    case 'approve': {
      const { runId, toolCallId } = order
      const code = await troupe.signal(runId, { type: 'approve', toolCallId }).then(
        () => 'taken',
        (error: unknown) => (error instanceof TroupeError ? error.code : 'NO_CODE'),
      )
      say({ type: 'approved', runId, code })
      break
    }
  }
}

process.on('message', (order) => void obey(order as ReleaseOrder))
say({ type: 'ready' })
