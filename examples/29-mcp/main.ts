/** Tools of an MCP server, a question of the server that waits over a restart, and an agent as such a tool itself. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTroupe, type AwaitedSignal } from 'troupe'
import { answerElicitation, isElicitation } from 'troupe/mcp'
import { sqliteStore } from 'troupe/sqlite'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { connectOffice, createDesk } from './agents.ts'
import { callOverHttp } from './caller.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))
const ledger = join(folder, 'bookings.txt')

/** As a process has it: a connection of its own, and a troupe on the same file. */
function open() {
  const office = connectOffice(ledger)
  const desk = createDesk(source.model, office)
  const store = sqliteStore(join(folder, 'runs.db'))
  const troupe = createTroupe({ agents: [desk], store })
  const close = async (): Promise<void> => {
    await troupe.close()
    await store.close()
    await office.close()
  }
  return { desk, troupe, close }
}

console.log('\nThe server asks, and the run waits:')
const morning = open()
const run = await morning.troupe.start(morning.desk, 'Book a journey to Oslo.')
const idle = await run.whenIdle
reportFailure(idle)
for (const { name, value } of idle.steps.flatMap(({ toolResults }) => toolResults)) {
  row(name, JSON.stringify(value ?? null), 12)
}
const questions: readonly AwaitedSignal[] = idle.outcome === 'suspended' ? idle.awaiting : []
for (const { toolName, payload } of questions) {
  if (!isElicitation(payload)) continue
  for (const { message } of Object.values(payload.questions)) row(`${toolName} asks`, message, 12)
}
await morning.close()
row('morning', 'ends: its connection and its server are gone', 12)

console.log('\nLater, another connection, and the answer:')
const evening = open()
const resumed = await evening.troupe.resume(run.id)
for (const { toolCallId, payload } of questions) {
  const answers = { seat: { action: 'accept', content: { seat: 'window' } } } as const
  await resumed.resume(toolCallId, answerElicitation(payload, answers))
}
const result = await resumed.result
reportFailure(result)
row(result.outcome, result.text, 12)
row('booked', readFileSync(ledger, 'utf8').trim(), 12)

console.log('\nThe desk is a tool of an MCP server itself, and passes the question on:')
const { desk, troupe } = evening
const agents = { travel: desk }
const today = await callOverHttp({ agents, troupe }, 'Book a journey to Rome.', 'auto', (what) =>
  row('caller', what, 12),
)
row('travel', today, 12)

console.log('\nA client of 2025 is asked within its session:')
const older = await callOverHttp({ agents, troupe }, 'Book a journey to Bergen.', 'legacy', (what) =>
  row('caller', what, 12),
)
row('travel', older, 12)
await evening.close()
rmSync(folder, { recursive: true })
