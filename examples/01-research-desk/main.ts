/**
 * The research desk: a lead delegates to a researcher and a writer, a hook watches over what is delegated, and
 * the article is scored until it passes. A terminal shows each agent at work while it is.
 *
 *   npm start
 *   npm start -- "the history of tea"
 *   npm start -- --inspect    opens the inspector: a page that shows the run while it goes on
 */
import { createTroupe } from 'troupe'
import { inspector } from 'troupe/inspector'
import { summarise, summaryText } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { createResearchDesk } from './agents.ts'
import { inspectFlag, openPage, pageOf, stay } from './inspect.ts'
import { narrate } from './narrate.ts'
import { deskScript } from './script.ts'
import { Terminal } from './terminal.ts'
import { readTopic } from './topic.ts'
import { ActorTree } from './tree.ts'

try {
  const args = process.argv.slice(2)
  const words = args.filter((arg) => arg !== inspectFlag)
  await research(readTopic(words), words.length < args.length)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function research(topic: string, isInspected: boolean): Promise<void> {
  await using source = await chooseModel(deskScript(topic))
  const terminal = new Terminal(process.stdout)
  const tree = new ActorTree(terminal)
  terminal.print(`Topic: ${topic}\n${source.notice}\n`)

  const lead = createResearchDesk(source.model)
  const troupe = createTroupe({ agents: [lead], inspect: tree.inspect })
  await using inspected = inspector(troupe, { title: 'Research desk' })

  // The first Ctrl-C cancels the run, a second one ends the process.
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort('interrupted by Ctrl-C'))

  const task = `Research ${topic} and write a short article about it.`
  const run = await troupe.start(lead, task, { signal: interrupt.signal })
  const page = await pageOf(inspected, run.id)
  if (isInspected) openPage(page)

  await narrate(run, tree, terminal)
  tree.finish()
  const { outcome } = await run.result
  const { answer: _told, ...summary } = summarise((await troupe.trail(run.id)).entries)
  terminal.print(
    `\n${summaryText(summary, { width: Math.max(terminal.columns, 40), color: terminal.isLive }).trimEnd()}`,
  )

  if (outcome === 'cancelled') process.exitCode = 130
  if (outcome === 'failed') process.exitCode = 1
  if (outcome !== 'cancelled') await stay(page, isInspected, terminal)
}
