/**
 * Makes the pictures of the inspector in docs/images from runs of the examples: `npm run screenshots`. With a folder as its
 * argument it writes each view of many examples there, at three widths, light and dark, to be looked at. Needs Chromium.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { createTroupe, memoryStore, type AnyAgent, type ChatModel } from 'troupe'
import { inspector } from 'troupe/inspector'
import { createResearchDesk } from '../examples/01-research-desk/agents.ts'
import { deskScript } from '../examples/01-research-desk/script.ts'
import { createNewsletter } from '../examples/13-background-and-budget/agents.ts'
import { script as newsletterScript } from '../examples/13-background-and-budget/script.ts'
import { createCashier } from '../examples/15-approval-from-another-process/agents.ts'
import { script as cashierScript } from '../examples/15-approval-from-another-process/script.ts'
import { createTravelDesk } from '../examples/17-router/agents.ts'
import { script as routerScript } from '../examples/17-router/script.ts'
import { createTravelAgent } from '../examples/18-planner/agents.ts'
import { script as plannerScript } from '../examples/18-planner/script.ts'
import { createRiskDesk } from '../examples/19-fan-out/agents.ts'
import { script as riskScript } from '../examples/19-fan-out/script.ts'
import { createCompanyDesk } from '../examples/20-meta-router/agents.ts'
import { script as companyScript } from '../examples/20-meta-router/script.ts'
import { createEstimator } from '../examples/21-reflexion/agents.ts'
import { script as estimatorScript } from '../examples/21-reflexion/script.ts'
import { createCouncil } from '../examples/22-debate/agents.ts'
import { script as councilScript } from '../examples/22-debate/script.ts'
import { createParcelDesk } from '../examples/23-dispatcher/agents.ts'
import { script as parcelScript } from '../examples/23-dispatcher/script.ts'
import { createHelpDesk } from '../examples/24-handoff/agents.ts'
import { script as helpScript } from '../examples/24-handoff/script.ts'
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

/** Those that are looked at alone. */
const others: readonly Shown[] = [
  {
    name: 'newsletter',
    agent: (model) => createNewsletter(model, { archiveIsOpen: true }),
    script: newsletterScript,
    task: 'Write about the spring fair.',
  },
  {
    name: 'cashier',
    agent: (model) => createCashier(model, () => undefined),
    script: cashierScript,
    task: 'Refund A-17, 120 euros, please.',
  },
  {
    name: 'router',
    agent: createTravelDesk,
    script: routerScript,
    task: 'I want to see Porto in April, for three nights.',
  },
  {
    name: 'planner',
    agent: createTravelAgent,
    script: plannerScript,
    task: 'A day in Lübeck for two, please.',
  },
  {
    name: 'company',
    agent: createCompanyDesk,
    script: companyScript,
    task: 'Shorten this: As it did not rain in spring, the harvest was late.',
  },
  {
    name: 'estimator',
    agent: createEstimator,
    script: estimatorScript,
    task: 'What do we spend on coffee in a year?',
  },
  {
    name: 'parcel',
    agent: createParcelDesk,
    script: parcelScript,
    task: 'What does a parcel to Norway cost?',
  },
  {
    name: 'help',
    agent: createHelpDesk,
    script: helpScript,
    task: 'I am Ada. May was charged twice, and when do you open?',
  },
]

/** The pictures that the documentation shows. */
const documented = { runs: 'inspector-runs', desk: 'inspector-run', office: 'inspector-question' } as const

const heights = { 1440: 900, 1024: 768, 390: 844 } as const
const views = ['summary', 'thread', 'entry'] as const
const [folder] = process.argv.slice(2)
const all = folder !== undefined

process.env['PACE'] = '0'
await ensurePage()
const images = join(import.meta.dirname, '../docs/images')
mkdirSync(folder ?? images, { recursive: true })

const told = all ? [...shown, ...others] : shown
const servers = await Promise.all(told.map(({ script }) => startScriptedServer(script)))
const { openai } = await import('troupe')
const made = told.map(({ agent }, index) =>
  agent(openai('scripted', { baseURL: servers[index]?.url ?? '', apiKey: 'scripted' })),
)
// Agents of several examples share ids: each run has a troupe of its own, and the inspector those of the documentation.
const store = memoryStore({ endedRuns: 100 })
const troupe = createTroupe({ agents: made.slice(0, shown.length), store })
/** The addresses of the runs, by name. */
const runs = new Map<string, string>()
for (const [index, { name, task, row }] of told.entries()) {
  const agent = made[index]
  if (agent === undefined) continue
  const own = index < shown.length ? troupe : createTroupe({ agents: [agent], store })
  const run = await own.start(agent, task)
  await run.whenIdle
  if (own !== troupe) await own.close()
  runs.set(name, `/runs/${run.id}${row === undefined ? '' : `?row=${row}`}`)
}

{
  await using view = inspector(troupe, { title: 'Examples' })
  const { origin, hash } = new URL(await view.url)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const pictured = async (page: Page, path: string, file: string): Promise<void> => {
    await page.goto(`${origin}${path}${hash}`)
    await settled(page)
    await page.screenshot({ path: file })
    console.log(file)
  }
  const places = [['runs', '/'] as const, ...runs]
  if (folder === undefined) {
    const page = await browser.newPage({
      viewport: { width: 1440, height: heights[1440] },
      colorScheme: 'light',
    })
    for (const [name, path] of places) {
      const known = name in documented ? documented[name as keyof typeof documented] : undefined
      if (known !== undefined) await pictured(page, path, join(images, `${known}.png`))
    }
  } else
    for (const width of [1440, 1024, 390] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ viewport: { width, height: heights[width] }, colorScheme })
        for (const [name, path] of places)
          for (const view of name === 'runs' ? [''] : views) {
            const shownPath = view === '' ? path : `${path}${path.includes('?') ? '&' : '?'}tab=${view}`
            const file = [name, view, width, colorScheme].filter((part) => part !== '').join('-')
            await pictured(page, shownPath, join(folder, `${file}.png`))
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
  await page.waitForTimeout(all ? 500 : 1_500)
}
