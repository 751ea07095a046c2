/** BEHAVIOUR 40 for every pattern with real processes: killed one after the other, their runs end as if nothing had been. */
import { join } from 'node:path'
import { createTroupe, type FinalResult, type JournalEntry } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { Forked } from '../../support/processes/forked.ts'
import { linesOf } from '../../support/lines.ts'
import { playNesting } from '../../support/agents/nestings.ts'
import { patterns, patternTree } from '../../support/agents/pattern-tree.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { comparable } from './crash-sweep.ts'
import type { Deed, PatternNews, PatternProcess } from './pattern-process.ts'

/** The idempotency keys of the models and tools that have an outcome: nobody may do them again. */
function settledIn(runId: string, journal: readonly JournalEntry[]): string[] {
  return journal.flatMap((entry) => {
    if (entry.type !== 'effect.settled' || (entry.kind !== 'model' && entry.kind !== 'tool')) return []
    if ((entry.settlement.value as { type?: string } | undefined)?.type === 'interrupted') return []
    const key = entry.kind === 'tool' ? entry.key.slice(0, entry.key.lastIndexOf('/')) : entry.key
    return [`${runId}/${key}`]
  })
}

test('a run of each pattern, killed three times', async () => {
  using folder = temporaryFolder()
  const deedsFile = folder.file('deeds')
  const store = sqliteStore(folder.file('runs.db'))
  const agents = patterns.map((pattern) => patternTree([pattern], { suffix: `-of-${pattern}` }).agent)
  const troupe = createTroupe({ agents, store })
  const deeds = (): Deed[] => linesOf(deedsFile).map((line) => JSON.parse(line) as Deed)
  const settled = async (): Promise<string[]> => {
    const journals = (await store.list('runs', {})).items.map(async ({ runId }) =>
      settledIn(runId, (await store.read(runId)) ?? []),
    )
    return (await Promise.all(journals)).flat()
  }
  const begin = (verb: PatternProcess['verb'], silentFrom?: number): Forked<PatternNews> => {
    const options = { file: folder.file('runs.db'), deeds: deedsFile, leaseTtl: 1_000, verb, silentFrom }
    return new Forked(join(import.meta.dirname, 'pattern-process.ts'), [JSON.stringify(options)])
  }

  const killedAt = [14, 9, 11]
  for (const [index, count] of killedAt.entries()) {
    await using child = begin(index === 0 ? 'start' : 'recover', count)
    const known = index === 0 ? [] : await settled()
    await child.hears('worked', ({ times }) => times === count)
    await child.kill()
    const repeated = deeds().filter(({ key, process }) => process === child.pid && known.includes(key))
    expect(repeated).toEqual([])
  }
  const known = await settled()
  expect(known.length).toBeGreaterThan(20)
  await using last = begin('recover')
  await last.hears('ended')
  await last.leave()
  expect(last.stderr).toBe('')
  expect(deeds().filter(({ key, process }) => process === last.pid && known.includes(key))).toEqual([])

  const runs = (await store.list('runs', {})).items
  expect(runs.map(({ agent }) => agent).toSorted()).toEqual(agents.map(({ id }) => id).toSorted())
  for (const pattern of patterns) {
    const { result } = await playNesting([pattern], { suffix: `-of-${pattern}` })
    const runId = runs.find(({ agent }) => agent === `${pattern}-0-of-${pattern}`)?.runId ?? ''
    expect(comparable((await troupe.replay(runId)).result as FinalResult)).toEqual(comparable(result))
  }
  // At most once in a process, and all of it was recorded in the end.
  const done = deeds().map(({ key, process }) => `${process} ${key}`)
  expect(new Set(done).size).toBe(done.length)
  expect([...new Set(deeds().map(({ key }) => key))].toSorted()).toEqual((await settled()).toSorted())
  await troupe.close()
  await store.close()
})
