/** The panels of a run, one at a time, by tabs. */
import type { VNode } from 'preact'
import { place, showTab, tabs, type Tab } from '../shared/router.ts'
import { ComparePanel } from './compare-panel.tsx'
import { ContextPanel } from './context-panel.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { EventsPanel } from './events-panel.tsx'
import { MessagesPanel } from './messages-panel.tsx'
import type { RunSession } from '../connection/run-session.ts'
import { WhyPanel } from './why-panel.tsx'

interface SessionProps {
  readonly session: RunSession
}

const titles: Readonly<Record<Tab, string>> = {
  entry: 'Entry',
  messages: 'Messages',
  events: 'Events',
  context: 'Context',
  why: 'Why',
  compare: 'Compare',
}

const contents: Readonly<Record<Tab, (props: SessionProps) => VNode>> = {
  entry: EntryPanel,
  messages: MessagesPanel,
  events: EventsPanel,
  context: ContextPanel,
  why: WhyPanel,
  compare: ComparePanel,
}

export function Panels({ session, tab: shown }: SessionProps & { readonly tab: Tab }): VNode {
  const Content = contents[shown]
  return (
    <section class="panels" aria-label="Details">
      <div class="tabs" role="tablist" aria-label="Details" onKeyDown={moveTab}>
        {tabs.map((tab, index) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            class="tab"
            aria-selected={tab === shown}
            aria-controls="panel"
            aria-keyshortcuts={String(index + 1)}
            tabIndex={tab === shown ? 0 : -1}
            title={`${titles[tab]} (${index + 1})`}
            onClick={() => showTab(tab)}
          >
            {titles[tab]}
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
        <Content session={session} />
      </div>
    </section>
  )
}

/** The arrow keys lead from tab to tab, as in every list of tabs. */
function moveTab(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  const current = place.peek()
  if (step === 0 || current.view !== 'run' || current.tab === 'summary' || current.tab === 'thread') return
  event.preventDefault()
  const next = tabs.at((tabs.indexOf(current.tab) + step) % tabs.length) ?? 'entry'
  showTab(next)
  document.querySelector<HTMLElement>(`#tab-${next}`)?.focus()
}
