/** A run that is played from its story: its entries in turn, with the actors, their charts and their content. */
import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ServiceInfo } from '../wire/routes.ts'
import { Chart } from '../page/chart/chart.tsx'
import type { ShownRun } from '../page/connection/run-session.ts'
import type { RunModel } from '../page/model/run-model.ts'
import { ContextPanel } from '../page/panels/context-panel.tsx'
import { EntryPanel } from '../page/panels/entry-panel.tsx'
import { EventsPanel } from '../page/panels/events-panel.tsx'
import { MessagesPanel } from '../page/panels/messages-panel.tsx'
import { durationText } from '../page/shared/format.ts'
import { PageProvider } from '../page/shared/page-context.ts'
import { EntrySearch } from '../page/search/entry-search.tsx'
import { ThreadView } from '../page/thread/thread-view.tsx'
import { Tree } from '../page/tree/tree.tsx'
import type { StoryRun } from './story-run.ts'

const isStory = 'This is a story: there is no run any more.'
const service: ServiceInfo = {
  engine: 'recording',
  title: '',
  unavailable: {
    signal: isStory,
    end: isStory,
    fork: isStory,
    delete: isStory,
    blobs: 'A story names files, and has no bytes of them.',
  },
}

export function Player({ story }: { readonly story: StoryRun }): VNode {
  const model = story.model.value
  const isPlaying = useSignal(false)
  usePlaying(model, isPlaying)
  const root = useRef<HTMLDivElement>(null)
  return (
    <PageProvider.Provider value={{ api: story.api, service, isStory: true }}>
      <div
        class="player"
        ref={root}
        role="group"
        aria-label={`The run ${story.runId}`}
        onKeyDown={(event) => press(event, model, isPlaying)}
      >
        <Head story={story} />
        <Controls model={model} isPlaying={isPlaying} />
        <div class="player-body">
          <Tree model={model} />
          <Chart model={model} />
          <Details story={story} />
        </div>
        <Spoken model={model} />
      </div>
    </PageProvider.Provider>
  )
}

function Head({ story }: { readonly story: StoryRun }): VNode {
  const run = story.run.value
  const { outcome, status } = run ?? {}
  const untold = story.untold.value
  return (
    <header class="player-head">
      <h2 class="said cut">{run?.agent}</h2>
      <span class="badge">{outcome ?? status}</span>
      <EntrySearch session={story} />
      {untold !== undefined && <span class="muted said">Entries alone: {untold.message}</span>}
    </header>
  )
}

/** Milliseconds between two entries. */
const pace = 700

/** Shows one entry after another, until the last one. */
function usePlaying(model: RunModel, isPlaying: Signal<boolean>): void {
  const plays = isPlaying.value
  useEffect(() => {
    if (!plays) return undefined
    const timer = setInterval(() => {
      if (model.isLive.peek()) isPlaying.value = false
      else model.moveBy(1)
    }, pace)
    return () => clearInterval(timer)
  }, [plays, model])
}

interface ControlsProps {
  readonly model: RunModel
  readonly isPlaying: Signal<boolean>
}

function Controls({ model, isPlaying }: ControlsProps): VNode {
  const cursor = model.cursor.value
  const last = model.length.value - 1
  const row = model.rows[cursor]
  const start = model.rows[0]?.at ?? 0
  const id = useId()
  return (
    <div class="player-bar">
      <div role="group" aria-label="Steps">
        <Step label="The first entry" onClick={() => model.moveTo(0)}>
          |‹
        </Step>
        <Step label="The entry before" onClick={() => model.moveBy(-1)}>
          ‹
        </Step>
        <Step label={isPlaying.value ? 'Pause' : 'Play'} onClick={() => toggle(model, isPlaying)}>
          {isPlaying.value ? 'Pause' : 'Play'}
        </Step>
        <Step label="The next entry" onClick={() => model.moveBy(1)}>
          ›
        </Step>
        <Step label="The last entry" onClick={() => model.goLive()}>
          ›|
        </Step>
      </div>
      <label class="unseen" for={id}>
        Entry
      </label>
      <input
        id={id}
        type="range"
        min={1}
        max={Math.max(1, last + 1)}
        value={cursor + 1}
        aria-valuetext={`Entry ${cursor + 1} of ${last + 1}: ${row?.line ?? ''}`}
        onInput={(event) => model.moveTo(event.currentTarget.valueAsNumber - 1)}
      />
      <span class="player-place number">
        {cursor + 1} / {last + 1}
        <span class="muted"> · {durationText((row?.at ?? start) - start)}</span>
      </span>
    </div>
  )
}

function Step({ label, onClick, children }: StepProps): VNode {
  return (
    <button type="button" class="button plain" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  )
}

interface StepProps {
  readonly label: string
  readonly onClick: () => void
  readonly children: ComponentChildren
}

function toggle(model: RunModel, isPlaying: Signal<boolean>): void {
  if (!isPlaying.peek() && model.isLive.peek()) model.moveTo(0)
  isPlaying.value = !isPlaying.peek()
}

/** The keys of the component: those that it takes go no further. */
function press(event: KeyboardEvent, model: RunModel, isPlaying: Signal<boolean>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  const { target } = event
  // A slider and a tab have arrows of their own.
  const hasArrows = target instanceof Element && target.closest('input, [role="tab"]') !== null
  const act = hasArrows ? undefined : actions[event.key]
  if (act === undefined) return
  event.preventDefault()
  event.stopPropagation()
  isPlaying.value = false
  act(model, event.shiftKey)
}

const actions: Readonly<Record<string, (model: RunModel, isShifted: boolean) => void>> = {
  ArrowLeft: (model, isShifted) => model.moveBy(isShifted ? -10 : -1),
  ArrowRight: (model, isShifted) => model.moveBy(isShifted ? 10 : 1),
  Home: (model) => model.moveTo(0),
  End: (model) => model.goLive(),
}

const panels = [
  { name: 'Entry', Content: EntryPanel },
  { name: 'Thread', Content: ThreadView },
  { name: 'Messages', Content: MessagesPanel },
  { name: 'Events', Content: EventsPanel },
  { name: 'Context', Content: ContextPanel },
] as const

function Details({ story }: { readonly story: ShownRun }): VNode {
  const chosen = useSignal(0)
  const id = useId()
  const Content = panels[chosen.value]?.Content ?? EntryPanel
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    event.stopPropagation()
    chosen.value = (chosen.value + step + panels.length) % panels.length
    list.current?.querySelectorAll<HTMLElement>('.tab')[chosen.value]?.focus()
  }
  return (
    <section class="panels" aria-label="Details">
      <div class="tabs" role="tablist" aria-label="Details" ref={list} onKeyDown={move}>
        {panels.map(({ name }, at) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            id={`${id}-${at}`}
            aria-selected={at === chosen.value}
            aria-controls={`${id}-panel`}
            tabIndex={at === chosen.value ? 0 : -1}
            onClick={() => (chosen.value = at)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="panel"
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen.value}`}
        tabIndex={0}
      >
        <Content session={story} />
      </div>
    </section>
  )
}

const rest = 300

/** Speaks the entry that a key or the slider has led to, once it rests. */
function Spoken({ model }: { readonly model: RunModel }): VNode {
  const words = useSignal('')
  const cursor = model.cursor.value
  useEffect(() => {
    const timer = setTimeout(() => {
      const row = model.rows[cursor]
      words.value =
        row === undefined
          ? ''
          : `Entry ${cursor + 1} of ${model.rows.length}: ${row.kind ?? row.type}, ${row.line}`
    }, rest)
    return () => clearTimeout(timer)
  }, [model, cursor])
  return (
    <p class="unseen" role="status">
      {words.value}
    </p>
  )
}
