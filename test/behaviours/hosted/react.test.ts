// @vitest-environment happy-dom
/**
 * An agent as the actor of a React component. StrictMode mounts each component twice: it starts the actor, stops it, and
 * starts the same actor again; `@xstate/react` sets its snapshot back before the second start.
 */
import { useActor } from '@xstate/react'
import { act, createElement, StrictMode, useState, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { createTroupe, memoryStore, type HostedInput, type AgentOptions, type Troupe } from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { createActor, type Snapshot } from 'xstate'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { appMachine, type Desk } from '../../support/hosting.ts'

let root: Root

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  root = createRoot(document.createElement('div'))
})

afterEach(() => {
  vi.unstubAllGlobals()
})

interface Page {
  readonly text: () => string
  readonly hide: () => Promise<void>
  readonly leave: () => Promise<void>
}

/** Shows a component in StrictMode. */
async function show(component: () => ReactNode): Promise<Page> {
  const container = document.createElement('div')
  root = createRoot(container)
  let hide: () => void = () => undefined
  const Page = (): ReactNode => {
    const [isHidden, setHidden] = useState(false)
    hide = () => setHidden(true)
    return isHidden ? 'hidden' : createElement(component)
  }
  await act(async () => root.render(createElement(StrictMode, null, createElement(Page))))
  return {
    text: () => container.textContent ?? '',
    hide: () => act(async () => hide()),
    leave: () => act(async () => root.unmount()),
  }
}

/** Waits, within React's `act`, until the page shows `text`. */
async function shows(page: Page, text: string): Promise<void> {
  await act(() => vi.waitFor(() => expect(page.text()).toBe(text), { timeout: 60_000 }))
}

const input: HostedInput<AgentOptions> = { prompt: 'Tides' }

function replyOf(desk: Desk): () => ReactNode {
  return function Reply() {
    const [{ output }] = useActor(desk, { input })
    return output === undefined ? 'working' : `${output.outcome}: ${output.text}`
  }
}

function appOf(desk: Desk): () => ReactNode {
  const machine = appMachine(desk)
  return function App() {
    const [{ context }] = useActor(machine, { input })
    const { result } = context
    return result === undefined ? 'working' : `${result.outcome}: ${result.text}`
  }
}

/** The outcomes of the runs of a troupe, by their number of model calls. */
async function endings(troupe: Troupe): Promise<readonly (string | undefined)[]> {
  const runs = (await troupe.runs()).items
  return runs.map(({ status, outcome }) => outcome ?? status)
}

test.each([
  ['alone', replyOf],
  ['invoked by a machine', appOf],
])('%s: the run that the second start begins completes', async (_, componentOf) => {
  const writer = worker('writer', ['Tides rise and fall.'])
  const boss = lead('boss', [calls(to('writer', 'Write')), 'It is written.'], {
    agents: { writer: writer.agent },
  })
  const troupe = createTroupe({ agents: [boss.agent] })
  const page = await show(componentOf(troupe.logic(boss.agent)))
  await shows(page, 'completed: It is written.')
  expect(boss.model.calls).toHaveLength(2)
  expect(writer.model.calls).toHaveLength(1)
  expect(await endings(troupe)).toEqual(['cancelled', 'completed'])
  await page.leave()
  expect(await endings(troupe)).toEqual(['cancelled', 'completed'])
})

test.each([
  ['alone', replyOf],
  ['invoked by a machine', appOf],
])('%s: to leave the page in mid-run aborts the model call of a subagent', async (_, componentOf) => {
  const writer = worker('writer', [{ hang: true }])
  const boss = lead('boss', [calls(to('writer', 'Write'))], { agents: { writer: writer.agent } })
  const troupe = createTroupe({ agents: [boss.agent] })
  const page = await show(componentOf(troupe.logic(boss.agent)))
  await act(() => vi.waitFor(() => expect(writer.model.calls).toHaveLength(1), { timeout: 60_000 }))
  await page.hide()
  expect(page.text()).toBe('hidden')
  await vi.waitFor(() => expect(writer.model.calls.map(({ signal }) => signal.aborted)).toEqual([true]))
  await vi.waitFor(async () => expect(await endings(troupe)).toEqual(['cancelled', 'cancelled']))
  expect(boss.model.calls).toHaveLength(1)
  await page.leave()
})

test.each(['alone', 'invoked by a machine'])(
  '%s: a page with the snapshot of the page before goes on with its run, and begins no other',
  async (how) => {
    const store = memoryStore()
    const deskOn = (step: ScriptedStep) => {
      const { agent, model } = worker('solo', [], { otherwise: step })
      const troupe = createTroupe({ agents: [agent], store, pollInterval: 5 })
      return { model, troupe, logic: troupe.logic(agent) }
    }
    const before = deskOn({ hang: true })
    const logic = how === 'alone' ? before.logic : appMachine(before.logic)
    const left = createActor(logic as typeof before.logic, { input })
    left.subscribe({ error: () => undefined }) // it is left in the midst of its work
    left.start()
    await vi.waitFor(() => expect(before.model.calls).toHaveLength(1), { timeout: 60_000 })
    const snapshot = JSON.parse(JSON.stringify(left.getPersistedSnapshot())) as Snapshot<unknown>
    await before.troupe.close()

    const after = deskOn('It is written.')
    const machine = appMachine(after.logic)
    const page = await show(function Page() {
      if (how === 'alone') {
        const [{ output }] = useActor(after.logic, { input, snapshot })
        return output === undefined ? 'working' : output.text
      }
      const [{ context }] = useActor(machine, { input, snapshot })
      return context.result?.text ?? 'working'
    })
    await shows(page, 'It is written.')
    expect(after.model.calls).toHaveLength(1)
    const { items } = await store.list('runs', {})
    expect(items).toMatchObject([{ outcome: 'completed' }])
    await page.leave()
  },
)
