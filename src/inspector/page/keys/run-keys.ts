/** The keys of a run: through its entries, through its actors, to its panels, and its actions. */
import { askFork } from '../actions/ask-fork.ts'
import { askAnswer, openDialog } from '../actions/open-dialog.ts'
import type { RunSession } from '../connection/run-session.ts'
import type { ActorPlace, RunModel } from '../model/run-model.ts'
import { announce } from '../shared/announcer.tsx'
import { lastOf } from '../shared/format.ts'
import { goTo, showTab, tabs, runsPlace } from '../shared/router.ts'
import type { Binding, KeyGroup } from './bindings.ts'

export function entryKeys({ model: { value: model } }: RunSession): KeyGroup {
  return {
    title: 'Entries',
    bindings: [
      { keys: ['ArrowLeft'], label: 'the entry before', run: () => model.moveBy(-1) },
      { keys: ['ArrowRight'], label: 'the next entry', run: () => model.moveBy(1) },
      { keys: ['Shift+ArrowLeft'], label: 'ten entries back', run: () => model.moveBy(-10) },
      { keys: ['Shift+ArrowRight'], label: 'ten entries on', run: () => model.moveBy(10) },
      { keys: ['Home'], label: 'the first entry', run: () => model.moveTo(0) },
      { keys: ['End'], label: 'the last entry, and those that follow', run: () => model.goLive() },
      {
        keys: ['n'],
        label: 'the next entry of this actor',
        run: () => move(model, model.nextOfActor(1), 'This actor has no later entry.'),
      },
      {
        keys: ['p'],
        label: 'its entry before',
        run: () => move(model, model.nextOfActor(-1), 'This actor has no earlier entry.'),
      },
      { keys: ['e'], label: 'the next error', run: () => move(model, model.nextError(1), 'No later error.') },
      {
        keys: ['E'],
        label: 'the error before',
        run: () => move(model, model.nextError(-1), 'No earlier error.'),
      },
      { keys: ['w'], label: 'the next question to a person', run: () => toQuestion(model) },
    ],
  }
}

export function actorKeys({ model: { value: model } }: RunSession): KeyGroup {
  return {
    title: 'Actors',
    bindings: [
      { keys: ['j'], label: 'the next actor', run: () => choose(model, 1) },
      { keys: ['k'], label: 'the actor before', run: () => choose(model, -1) },
      { keys: ['Enter'], label: 'the first actor inside', run: () => chooseInside(model) },
      { keys: ['Backspace'], label: 'the actor around', run: () => chooseAround(model) },
    ],
  }
}

export function panelKeys(): KeyGroup {
  const bindings = tabs.map((tab, index): Binding => ({
    keys: [String(index + 1)],
    label: tab,
    run: () => showTab(tab),
  }))
  const summary: Binding = { keys: ['o'], label: 'summary', run: () => showTab('summary') }
  const thread: Binding = { keys: ['t'], label: 'thread', run: () => showTab('thread') }
  return { title: 'Panels', bindings: [summary, thread, ...bindings] }
}

/** `refusals`: the reasons for which actions are not available. */
export function actionKeys(
  session: RunSession,
  refusals: { readonly signal: string | undefined; readonly fork: string | undefined },
): KeyGroup {
  const { runId } = session
  const allowed = (refusal: string | undefined, act: () => void) => () =>
    refusal === undefined ? act() : announce(refusal)
  return {
    title: 'Actions',
    bindings: [
      {
        keys: ['a'],
        label: 'approve or answer',
        run: allowed(refusals.signal, () => answer(session, 'approve')),
      },
      { keys: ['d'], label: 'deny', run: allowed(refusals.signal, () => answer(session, 'deny')) },
      { keys: ['f'], label: 'fork here', run: allowed(refusals.fork, () => fork(session)) },
      {
        keys: ['s'],
        label: 'say something',
        run: allowed(refusals.signal, () => {
          openDialog.value = { type: 'say', runId, agent: session.run.peek()?.agent ?? '' }
        }),
      },
      {
        keys: ['x'],
        label: 'cancel the run',
        run: allowed(refusals.signal, () => {
          openDialog.value = { type: 'cancel', runId }
        }),
      },
      { keys: ['u'], label: 'the list of runs', run: () => goTo(runsPlace.peek()) },
    ],
  }
}

function move(model: RunModel, row: number | undefined, otherwise: string): void {
  if (row === undefined) announce(otherwise)
  else model.moveTo(row)
}

/** The next question behind the row that is shown, or the first of the run. */
function toQuestion(model: RunModel): void {
  const row = model.nextQuestion(1) ?? model.questions.rows[0]
  move(model, row, 'The run has asked no question.')
  const asked = row === undefined ? undefined : model.questions.at(row).find((one) => one.row === row)
  if (asked !== undefined) model.choose(asked.path)
}

/** The open question of the chosen actor, or the oldest of the run. */
function answer({ run, model }: RunSession, decision: 'approve' | 'deny'): void {
  const awaiting = run.peek()?.awaiting ?? []
  const path = model.peek().path.peek()
  const question = awaiting.find(({ toolCallId }) => toolCallId === path) ?? awaiting[0]
  if (question === undefined) announce('No question of this run is open.')
  else askAnswer(question, decision)
}

function fork({ runId, model }: RunSession): void {
  const row = model.peek().rows[model.peek().cursor.peek()]
  if (row !== undefined) askFork(runId, model.peek().rows, row)
}

/** The machines that have started up to the row that is shown, in the order of the tree. */
function machinesOf(model: RunModel): readonly ActorPlace[] {
  const cursor = model.cursor.peek()
  const below = (place: ActorPlace): readonly ActorPlace[] =>
    place.isEffect || place.added > cursor ? [] : [place, ...place.children.flatMap(below)]
  return model.actors.roots.flatMap(below)
}

function choose(model: RunModel, by: 1 | -1): void {
  const machines = machinesOf(model)
  const present = machines.findIndex(({ path }) => path === model.path.peek())
  const next = machines[present < 0 ? 0 : present + by]
  if (next === undefined) announce(by === 1 ? 'This is the last actor.' : 'This is the first actor.')
  else chosen(model, next.path)
}

function chooseInside(model: RunModel): void {
  const inside = machinesOf(model).find(({ parent }) => parent?.path === model.path.peek())
  if (inside === undefined) announce('There is no actor inside.')
  else chosen(model, inside.path)
}

function chooseAround(model: RunModel): void {
  const around = model.actors.at(model.path.peek())?.parent
  if (around === undefined) announce('There is no actor around.')
  else chosen(model, around.path)
}

function chosen(model: RunModel, path: string): void {
  model.choose(path)
  announce(`Actor ${lastOf(path)}`)
}
