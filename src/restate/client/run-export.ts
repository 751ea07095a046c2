/** Exports the journals of all workflows of a run as one piece of JSON, and replays such an export. */
import { RunNotFoundError, type JournalMismatch } from '../../errors.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { type AgentRegistry, lookUp } from '../../runtime/definition/registry.ts'
import type { Replay, ReplayOptions } from '../../runtime/replay/replay-contract.ts'
import type { Reporter } from '../../runtime/report.ts'
import { shapedResult } from '../../runtime/handle/shaped-result.ts'
import { resultOf } from '../../runtime/engine/run-results.ts'
import type { RunIngress } from './ingress.ts'
import type { PartReplay } from './part-replay.ts'
import { TreeReplay, type TreeReplayOptions } from './tree-replay.ts'

/** The journals of a run and its subagents, as JSON. */
export interface RunExport {
  readonly runId: string
  /** The root agent's id. */
  readonly agent: string
  /** The part of the run, and then those of its subagents. */
  readonly parts: readonly ExportedPart[]
}

/** The journal of a run, or of one of its subagents. */
export interface ExportedPart {
  /** The owner of the journal: ids of the actors from the root agent to it, joined with "/". */
  readonly path: string
  /** Journal entries, by the turns in which they were delivered. */
  readonly turns: readonly (readonly JournalEntry[])[]
}

/** Rejects with a `JournalMismatchError` at an entry to which the agents do not lead any more. */
export async function exportRun(
  registry: AgentRegistry,
  ingress: RunIngress,
  runId: string,
  agent: string,
): Promise<RunExport> {
  const read: TreeReplayOptions['read'] = (of, path, from) =>
    ingress.read({ runId, agent: of, path }, { from })
  // Changed inputs leave the journals as they are: a replay of the export tells of them.
  const tree = new TreeReplay({ registry, agent, read, onDiverged: () => undefined })
  await tree.pump()
  const parts = [...tree.branches()].flatMap(({ path, turns }) =>
    turns.length === 0 ? [] : [{ path, turns }],
  )
  if (parts.length === 0) throw new RunNotFoundError(runId)
  return { runId, agent, parts }
}

export async function replayExport(
  registry: AgentRegistry,
  run: RunExport,
  { inspect }: Pick<ReplayOptions, 'inspect'> = {},
  report?: Reporter,
): Promise<Omit<Replay, 'actors'>> {
  const { runId, agent, parts } = run
  let diverged: JournalMismatch | undefined
  const onDiverged = (difference: JournalMismatch): void => void (diverged ??= difference)
  const { tree, root } = await replayed(run, { registry, inspect, report, onDiverged })
  const { structuredOutput } = lookUp(registry, agent).options
  const result = root.output && resultOf(root.engine, root.output)
  return {
    runId,
    result: result && (await shapedResult(result, structuredOutput?.schema)),
    events: tree.log.withCursors(),
    entries: parts.reduce((count, { turns }) => count + turns.flat().length, 0),
    ...(diverged === undefined ? {} : { diverged }),
  }
}

/** Replays all journals of an export. Rejects with a `RunNotFoundError` where there are none. */
export async function replayed(
  { runId, agent, parts }: RunExport,
  options: Omit<TreeReplayOptions, 'agent' | 'read'>,
): Promise<{ readonly tree: TreeReplay; readonly root: PartReplay }> {
  const byPath = new Map(parts.map((part) => [part.path, part]))
  const tree = new TreeReplay({
    ...options,
    agent,
    read: async (_agent, path, from) => {
      const turns = byPath.get(path)?.turns ?? []
      return { turns: turns.slice(from).map((entries) => ({ entries })) }
    },
  })
  await tree.pump()
  const { root } = tree
  if (root === undefined) throw new RunNotFoundError(runId)
  return { tree, root }
}
