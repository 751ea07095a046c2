/**
 * Writes the journals of the corpus: `node --conditions=troupe-source test/durability/corpus/write.ts`. Those that are
 * there were written on 2026-11-23, at 722bdb5~1, before messages could hold files and data of providers. A journal that
 * is there is not written again: it proves that the runs of older releases replay.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe, memoryStore } from 'troupe'
import { corpus } from './agents.ts'

for (const [name, { agent, prompt, options = {} }] of Object.entries(corpus())) {
  const file = join(import.meta.dirname, 'journals', `${name}.json`)
  if (existsSync(file)) continue
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, prompt, options)
  for (;;) {
    const idle = await run.whenIdle
    if (idle.outcome !== 'suspended') break
    for (const { toolCallId, type } of idle.awaiting) {
      if (type === 'approval') await run.approve(toolCallId)
      else await run.resume(toolCallId, 'yes')
    }
  }
  const journal = await troupe.journal(run.id)
  writeFileSync(file, `${JSON.stringify({ journal, result: await run.result })}\n`)
  console.log(`${name}: ${journal.length} entries, ${(await run.result).outcome}`)
  await troupe.close()
}
