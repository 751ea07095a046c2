/**
 * The recordings of the site: runs of the examples and of the steps of docs/learn, as stories. They are made anew for each
 * site. Each names what it must have, and one without it is an error: a recording is never of another kind than its text says.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe, openai, type AnyAgent, type ChatModel } from 'troupe'
import { recordStory } from 'troupe/inspector'
import { storedRuns } from 'troupe/kit'
import { sqliteStore } from 'troupe/sqlite'
import { createResearchDesk } from '../../examples/01-research-desk/agents.ts'
import { deskScript } from '../../examples/01-research-desk/script.ts'
import { createBookkeeper } from '../../examples/02-hello-agent/agents.ts'
import { script as bookkeeperScript } from '../../examples/02-hello-agent/script.ts'
import { createFrontDesk } from '../../examples/03-bail/agents.ts'
import { script as bailScript } from '../../examples/03-bail/script.ts'
import { createTravelDesk } from '../../examples/17-router/agents.ts'
import { script as routerScript } from '../../examples/17-router/script.ts'
import { createTravelAgent } from '../../examples/18-planner/agents.ts'
import { script as plannerScript } from '../../examples/18-planner/script.ts'
import { createRiskDesk } from '../../examples/19-fan-out/agents.ts'
import { script as fanOutScript } from '../../examples/19-fan-out/script.ts'
import { createCompanyDesk } from '../../examples/20-meta-router/agents.ts'
import { script as metaScript } from '../../examples/20-meta-router/script.ts'
import { createEstimator } from '../../examples/21-reflexion/agents.ts'
import { script as reflexionScript } from '../../examples/21-reflexion/script.ts'
import { createCouncil } from '../../examples/22-debate/agents.ts'
import { script as debateScript } from '../../examples/22-debate/script.ts'
import { createParcelDesk } from '../../examples/23-dispatcher/agents.ts'
import { script as dispatcherScript } from '../../examples/23-dispatcher/script.ts'
import { createOffice } from '../../examples/33-inspector/agents.ts'
import { script as officeScript } from '../../examples/33-inspector/script.ts'
import { startScriptedServer, type Script } from '../../examples/support/scripted-server.ts'

export interface Recording {
  readonly name: string
  /** Texts that its story must have. */
  readonly has: readonly string[]
  readonly record: () => Promise<string>
}

const root = join(import.meta.dirname, '../..')

export const recordings: readonly Recording[] = [
  ofExample('agent', createBookkeeper, bookkeeperScript, 'How much is 1249.90 with 19 % VAT?', ['add_vat']),
  ofExample(
    'supervisor',
    createResearchDesk,
    deskScript('the history of tea'),
    'Research the history of tea and write a short article about it.',
    ['rejected', 'cites-sources'],
  ),
  ofExample(
    'bail',
    (model) => createFrontDesk(model, { bail: true }),
    bailScript,
    'Can I still return the shoes that I bought three weeks ago?',
    ['bailed'],
  ),
  ofExample('router', createTravelDesk, routerScript, 'I want to see Porto in April, for three nights.', [
    'routing',
  ]),
  ofExample('planner', createTravelAgent, plannerScript, 'Plan a weekend in Lisbon.', ['plan']),
  ofExample('fan-out', createRiskDesk, fanOutScript, 'How risky is Tern & Sons as a partner?', ['goal']),
  ofExample('meta-router', createCompanyDesk, metaScript, 'Assess the risk of Heron Ltd as a supplier.', [
    'pattern',
  ]),
  ofExample('reflexion', createEstimator, reflexionScript, 'What do we spend on coffee in a year?', [
    'critiqu',
  ]),
  ofExample('debate', createCouncil, debateScript, 'A bridge, or a new ferry?', ['round']),
  ofExample('dispatcher', createParcelDesk, dispatcherScript, 'What does a parcel to Norway cost?', [
    'routing',
  ]),
  ofExample('approval', createOffice, officeScript, 'Settle invoice 17', ['approv']),
  ofStep('agent', ['weather']),
  ofStep('supervisor', ['Find the facts first.', 'It names no source.']),
  ofStep('approval', ['refund', 'ann']),
  ofStep('fork', ['The fares are not known today']),
  { name: 'crash', has: ['charge'], record: recordCrash },
]

/** Throws where a recording has not what its name says. */
export async function writeRecordings(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, has, record } of recordings) {
    const story = await record()
    const missing = has.filter((text) => !story.includes(text))
    if (missing.length > 0) throw new Error(`The recording "${name}" has no ${missing.join(', ')}.`)
    writeFileSync(join(folder, `${name}.story`), story)
    console.log(`${name}.story: ${story.split('\n').length} lines, ${Math.round(story.length / 1024)} kB`)
  }
}

/** Its questions are answered with yes. */
function ofExample(
  name: string,
  create: (model: ChatModel) => AnyAgent,
  script: Script,
  task: string,
  has: readonly string[],
): Recording {
  return {
    name,
    has,
    record: async () => {
      await using server = await startScriptedServer(script)
      const agent = create(openai('scripted', { baseURL: server.url, apiKey: 'scripted' }))
      const troupe = createTroupe({ agents: [agent], onError: () => undefined })
      const run = await troupe.start(agent, task)
      for await (const { type, payload } of run.events)
        if (type === 'tool-call-approval') await run.approve(payload.toolCallId, { by: 'ann' })
      const { outcome } = await run.result
      if (outcome !== 'completed' && outcome !== 'bailed')
        throw new Error(`The run of "${name}" ended as ${outcome}.`)
      const story = await recordStory(troupe, run.id)
      await troupe.close()
      return story
    },
  }
}

/** The newest run of the file that the program of a step leaves. */
function ofStep(step: string, has: readonly string[]): Recording {
  return {
    name: `learn-${step}`,
    has,
    record: async () => {
      const folder = mkdtempSync(join(makeScratch(), 'step-'))
      const page = readFileSync(join(root, `docs/learn/${step}.md`), 'utf8')
      const [, code = ''] = /^```ts\n([^]*?)^```/m.exec(page) ?? []
      writeFileSync(join(folder, 'main.mts'), code)
      runNode(['main.mts'], folder)
      const story = await newestOf(join(folder, `${step}.db`), has)
      rmSync(folder, { recursive: true })
      return story
    },
  }
}

/** Example 14, which kills its own worker; its folder is kept for us. */
async function recordCrash(): Promise<string> {
  const folder = mkdtempSync(join(makeScratch(), 'crash-'))
  cpSync(join(root, 'examples/14-crash-and-resume'), join(folder, '14'), { recursive: true })
  cpSync(join(root, 'examples/support'), join(folder, 'support'), { recursive: true })
  const main = join(folder, '14/main.ts')
  const kept = readFileSync(main, 'utf8')
    .replace("mkdtempSync(join(tmpdir(), 'troupe-example-'))", JSON.stringify(folder))
    .replace('rmSync(folder, { recursive: true })', '')
  writeFileSync(main, kept)
  runNode([main], folder)
  const story = await newestOf(join(folder, 'runs.db'), ['charge'])
  rmSync(folder, { recursive: true })
  return story
}

function makeScratch(): string {
  const scratch = join(root, 'scratch')
  mkdirSync(scratch, { recursive: true })
  return scratch
}

function runNode(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=troupe-source', ...args], {
    cwd,
    encoding: 'utf8',
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OPENAI_'))),
      PACE: '0',
    },
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}.\n${stderr}`)
}

/** By the program, as docs/run/story.md says: of the newest run whose story has these texts. */
async function newestOf(file: string, has: readonly string[]): Promise<string> {
  const store = sqliteStore(file)
  const runs = (await storedRuns({ store }).runs()).items
  await store.close()
  for (const { runId } of runs) {
    const output = `${file}.story`
    runNode([join(root, 'dist/troupe.js'), 'record', '--output', output, '--', file, runId], root)
    const story = readFileSync(output, 'utf8')
    if (has.every((text) => story.includes(text))) return story
  }
  throw new Error(`No run of ${file} has ${has.join(', ')}.`)
}
