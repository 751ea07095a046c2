/**
 * What the page of the inspector takes for a long run beside a short one, in Chromium: the first paint, steps through the
 * entries, and the search. Times are those in which the main thread of the page was at work; the first paint and the time
 * until all entries are there are of the clock. Rounds alternate; ratios are the median of the ratios within each round.
 */
import { parseArgs } from 'node:util'
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core'
import { createAgent, createTool, createTroupe, type ChatModel } from 'troupe'
import { inspector } from 'troupe/inspector'
import { z } from 'zod'
import { ensurePage } from '../../scripts/page/build-page.ts'
import { executablePath } from '../../test/inspector/browser/support/chromium-place.ts'
import { median } from '../support/statistics.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    short: { type: 'string', default: '500' },
    long: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const warmUps = 1
const moves = 40

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

/** An agent whose run has about this many entries: a step of it makes three. */
function counter(id: string, entries: number) {
  const steps = Math.round(entries / 3)
  let step = 0
  const model: ChatModel = {
    provider: 'bench',
    modelId: 'bench',
    generate: async () => {
      const number = step++
      return number < steps
        ? {
            text: '',
            toolCalls: [{ id: `call-${number}`, name: 'count', args: { number } }],
            finishReason: 'tool-calls',
            usage,
          }
        : { text: 'Counted.', toolCalls: [], finishReason: 'stop', usage }
    },
  }
  const count = createTool({
    id: 'count',
    description: 'Counts.',
    inputSchema: z.object({ number: z.number() }),
    execute: ({ number }) => number + 1,
  })
  return createAgent({ id, instructions: 'Count.', model, tools: { count }, maxSteps: steps + 1 })
}

/** Milliseconds; `first` and `all` of the clock, the others of work. */
interface Times {
  readonly first: number
  readonly all: number
  readonly opening: number
  readonly step: number
  readonly jump: number
  readonly typed: number
  readonly hit: number
}

/** A page that is at work on one run. */
class Look {
  readonly #page: Page
  readonly #session: CDPSession

  private constructor(page: Page, session: CDPSession) {
    this.#page = page
    this.#session = session
  }

  static async at(browser: Browser, url: string): Promise<Times> {
    const page = await browser.newPage({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      bypassCSP: true,
    })
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const look = new Look(page, session)
    const times = await look.#take(url)
    await page.close()
    return times
  }

  async #take(url: string): Promise<Times> {
    const page = this.#page
    await page.addInitScript(noteTimes)
    await page.goto(url)
    await page.waitForFunction('window.whole !== undefined')
    const { first, all } = await page.evaluate<{ first: number; all: number }>(
      '({ first: window.first, all: window.whole })',
    )
    await page.getByText('What it led to').waitFor()
    await this.#rest()
    const opening = await this.#busy()
    await page.evaluate(moveBy, { from: 100, by: 1, moves })
    const step = await this.#since(opening)
    const before = await this.#busy()
    await page.evaluate(moveBy, { from: 0, by: 10, moves })
    const jump = await this.#since(before)
    const beforeSearch = await this.#busy()
    for (const text of ['c', 'co', 'count', 'count 4', 'count 44'])
      await page.getByRole('searchbox').fill(text)
    const typed = (await this.#since(beforeSearch)) / 5
    const beforeHits = await this.#busy()
    for (let hit = 0; hit < 5; hit++) await page.getByRole('searchbox').press('Enter')
    const hit = (await this.#since(beforeHits)) / 5
    return { first, all, opening, step: step / moves, jump: jump / moves, typed, hit }
  }

  async #since(before: number): Promise<number> {
    await this.#rest()
    return (await this.#busy()) - before
  }

  /** Until what was asked for is drawn. */
  async #rest(): Promise<void> {
    await this.#page.waitForTimeout(150)
    await this.#page.waitForFunction("document.querySelector('[aria-busy=true]') === null")
  }

  /** Milliseconds of work of the main thread. */
  async #busy(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
}

/** In the page: notes when entries are shown first, and when all of them are there. */
const noteTimes = `
  const look = () => {
    const place = document.querySelector('.transport-place')?.textContent ?? ''
    if (window.first === undefined && /entry [1-9]/.test(place))
      requestAnimationFrame(() => setTimeout(() => (window.first ??= performance.now())))
    if (window.whole === undefined && window.first !== undefined && document.querySelector('.transport-more')?.textContent === '')
      window.whole = performance.now()
    if (window.whole === undefined) setTimeout(look, 4)
  }
  look()
`

/** In the page: moves the slider, a frame for each move. */
async function moveBy({ from, by, moves }: { from: number; by: number; moves: number }): Promise<void> {
  const page = globalThis as unknown as {
    readonly document: {
      querySelector(selector: string): { value: string; dispatchEvent(event: Event): void }
    }
    requestAnimationFrame(then: () => void): void
  }
  const slider = page.document.querySelector('.transport input')
  for (let move = 0; move < moves; move++) {
    slider.value = String(from + move * by)
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise<void>((resolve) => page.requestAnimationFrame(resolve))
  }
}

await ensurePage()
const agents = [counter('short', Number(values.short)), counter('long', Number(values.long))] as const
const troupe = createTroupe({ agents: [...agents] })
const runs = await Promise.all(agents.map((agent) => troupe.start(agent, 'Count.')))
await Promise.all(runs.map(({ result }) => result))
const entries = await Promise.all(runs.map(async ({ id }) => (await troupe.journal(id)).length))

{
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const samples: [Times[], Times[]] = [[], []]
  for (let round = -warmUps; round < rounds; round++)
    for (const [size, taken] of samples.entries()) {
      await using view = inspector(troupe) // one that has read nothing of the run yet
      const { origin, hash } = new URL(await view.url)
      const times = await Look.at(browser, `${origin}/runs/${runs[size]?.id}${hash}`)
      if (round >= 0) taken.push(times)
    }
  await browser.close()
  const rows: Readonly<Record<keyof Times, string>> = {
    first: 'the first entries are shown, ms of time',
    all: 'all entries are there, ms of time',
    opening: 'until then, ms of work',
    step: 'a step to the next entry, ms of work',
    jump: 'a step of ten entries, ms of work',
    typed: 'a letter of a search, ms of work',
    hit: 'the next hit of a search, ms of work',
  }
  const [short, long] = samples
  console.log(`| what is done | ${entries[0]} entries | ${entries[1]} entries | ratio |`)
  console.log('| --- | --: | --: | --: |')
  for (const [name, text] of Object.entries(rows)) {
    const of = (times: Times): number => times[name as keyof Times]
    const ratio = median(long.map((times, round) => of(times) / of(short[round] ?? times)))
    const columns = [median(short.map(of)).toFixed(2), median(long.map(of)).toFixed(2), ratio.toFixed(2)]
    console.log(`| ${text} | ${columns.join(' | ')} |`)
  }
}
await troupe.close()
