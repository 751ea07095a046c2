/** What of versions must, and must not, compile: the status of agents, and what is asked for. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  openai,
  type AgentStatus,
  type HistoryEntry,
  type VersionOverrides,
} from 'troupe'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const writer = createAgent({ id: 'writer', description: 'Writes.', instructions: '', model, status: 'draft' })
const lead = createSupervisor({ id: 'lead', instructions: '', model, version: '2', agents: { writer } })
expectType<AgentStatus>()(lead.status)
// @ts-expect-error there is no such status
createAgent({ id: 'a', instructions: '', model, status: 'live' })

const versions = { agents: { writer: { status: 'draft' }, lead: { versionId: '2' } } } as const
export const asked: VersionOverrides = versions
const troupe = createTroupe({ agents: [lead], versions })
await lead.generate('Go', { versions: { agents: { writer: { status: 'published' } } } })
const run = await troupe.start(lead, 'Go', { versions, maxSteps: 3 })
await troupe.fork(run.id, { at: 1, versions })

// @ts-expect-error one or the other
await lead.generate('Go', { versions: { agents: { writer: { status: 'draft', versionId: '2' } } } })
// @ts-expect-error a version is named by a text
await lead.generate('Go', { versions: { agents: { writer: { versionId: 2 } } } })
// @ts-expect-error by the ids of agents
createTroupe({ agents: [lead], versions: { writer: { status: 'draft' } } })
// @ts-expect-error it is for runs, and stands on no definition
createAgent({ id: 'a', instructions: '', model, versions })

const { version, delegations } = await run.result
expectType<string | undefined>()(version)
expectType<string | undefined>()(delegations[0]?.version)
declare const entry: HistoryEntry
expectType<Readonly<Record<string, string | null>> | undefined>()(entry.versions)
