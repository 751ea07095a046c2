/**
 * Makes the pictures of the inspector in docs/images from runs of the examples: `npm run screenshots`. With a folder as its
 * argument it writes every view there, at two widths, light and dark, to be looked at. Needs Chromium.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { createTroupe, type AnyAgent, type ChatModel } from 'troupe'
import { inspector } from 'troupe/inspector'
import { createResearchDesk } from '../examples/01-research-desk/agents.ts'
import { deskScript } from '../examples/01-research-desk/script.ts'
import { createRiskDesk } from '../examples/19-fan-out/agents.ts'
import { script as riskScript } from '../examples/19-fan-out/script.ts'
import { createCouncil } from '../examples/22-debate/agents.ts'
import { script as councilScript } from '../examples/22-debate/script.ts'
import { createPartnerCheck } from '../examples/25-partner-risk/agents.ts'
import { script as partnerScript } from '../examples/25-partner-risk/script.ts'
import { createOffice } from '../examples/33-inspector/agents.ts'
import { script as officeScript } from '../examples/33-inspector/script.ts'
import { startScriptedServer, type Script } from '../examples/support/scripted-server.ts'
import { executablePath } from '../test/inspector/browser/support/chromium-place.ts'
import { ensurePage } from './page/build-page.ts'

interface Shown {
  readonly name: string
  readonly agent: (model: ChatModel) => AnyAgent
  readonly script: Script
  readonly task: string
  /** The row that is shown: a decision in the midst of the run, in place of its end. */
  readonly row?: number
}

const shown: readonly Shown[] = [
  { name: 'council', agent: createCouncil, script: councilScript, task: 'Should we move the office?' },
  { name: 'risk', agent: createRiskDesk, script: riskScript, task: 'How risky is Tern & Sons as a partner?' },
  {
    name: 'partner',
    agent: createPartnerCheck,
    script: partnerScript,
    task: 'Assess the risk profile of Company X as a potential partner',
  },
  {
    name: 'desk',
    agent: createResearchDesk,
    script: deskScript('the history of tea'),
    task: 'Research the history of tea and write a short article about it.',
    row: 10,
  },
  { name: 'office', agent: createOffice, script: officeScript, task: 'Settle invoice 17' },
]

/** The pictures that the documentation shows. */
const documented = { runs: 'inspector-runs', desk: 'inspector-run', office: 'inspector-question' } as const

const heights = { 1440: 900, 1024: 768 } as const
const [folder] = process.argv.slice(2)
const all = folder !== undefined

process.env['PACE'] = '0'
await ensurePage()
const images = join(import.meta.dirname, '../docs/images')
mkdirSync(folder ?? images, { recursive: true })

const servers = await Promise.all(shown.map(({ script }) => startScriptedServer(script)))
const { openai } = await import('troupe')
const agents = shown.map(({ agent }, index) =>
  agent(openai('scripted', { baseURL: servers[index]?.url ?? '', apiKey: 'scripted' })),
)
const troupe = createTroupe({ agents })
/** The addresses of the runs, by name. */
const runs = new Map<string, string>()
for (const [index, { name, task, row }] of shown.entries()) {
  const agent = agents[index]
  if (agent === undefined) continue
  const run = await troupe.start(agent, task)
  await run.whenIdle
  runs.set(name, `/runs/${run.id}${row === undefined ? '' : `?row=${row}`}`)
}

{
  await using view = inspector(troupe, { title: 'Examples' })
  const { origin, hash } = new URL(await view.url)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  for (const width of [1440, 1024] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      if (!all && (width !== 1440 || colorScheme !== 'light')) continue
      const page = await browser.newPage({ viewport: { width, height: heights[width] }, colorScheme })
      const places = [['runs', '/'] as const, ...runs]
      for (const [name, path] of places) {
        const known = name in documented ? documented[name as keyof typeof documented] : undefined
        if (!all && known === undefined) continue
        await page.goto(`${origin}${path}${hash}`)
        await settled(page)
        const file = all ? join(folder, `${name}-${width}-${colorScheme}.png`) : join(images, `${known}.png`)
        await page.screenshot({ path: file })
        console.log(file)
      }
      await page.close()
    }
  await browser.close()
}
await troupe.close()
await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))

/** The page has its rows and has drawn them. */
async function settled(page: Page): Promise<void> {
  await page.locator('main').waitFor()
  await page.waitForTimeout(1_500)
}
