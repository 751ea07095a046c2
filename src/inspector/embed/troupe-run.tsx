/**
 * `<troupe-run src="run.story">`: a run on any page, without a server and without an engine. All that it has stands in its
 * shadow root. It takes the keys that are pressed in it alone, leaves the address of the page, and has no style outside.
 */
import { render, type VNode } from 'preact'
import { measureIn } from '../page/chart/measure-text.ts'
import { Player } from './player.tsx'
import { readStory } from './story-file.ts'
import { StoryRun } from './story-run.ts'

/** The style sheet, which the build puts here. */
declare const embeddedStyles: string

/** Larger files are refused. Characters. */
const longest = 200_000_000

const sans = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

let sheet: CSSStyleSheet | undefined

/** One for all elements. A page whose policy forbids styles in its text takes it too. */
function styles(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(embeddedStyles)
  }
  return sheet
}

/** A server that renders the page imports the element too, where there are none. */
const Base = globalThis.HTMLElement ?? (Object as object as typeof HTMLElement)

class TroupeRun extends Base {
  static readonly observedAttributes = ['src']
  readonly #root = this.attachShadow({ mode: 'open' })
  #given: string | undefined
  #loading: AbortController | undefined

  connectedCallback(): void {
    this.#takeOver()
    measureIn(sans)
    this.#root.adoptedStyleSheets = [styles()]
    void this.#load()
  }

  disconnectedCallback(): void {
    this.#loading?.abort()
    render(null, this.#root)
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (this.isConnected && before !== after) void this.#load()
  }

  /** The text of a story, in place of a file. */
  set story(text: string) {
    this.#given = text
    if (this.isConnected) void this.#load()
  }

  /** A property that was set before the script came hides the setter. */
  #takeOver(): void {
    if (!Object.hasOwn(this, 'story')) return
    const given: unknown = Object.getOwnPropertyDescriptor(this, 'story')?.value
    Reflect.deleteProperty(this, 'story')
    this.story = String(given)
  }

  async #load(): Promise<void> {
    this.#loading?.abort()
    const { signal } = (this.#loading = new AbortController())
    this.#show(<p class="empty">Loading the story …</p>)
    try {
      const story = new StoryRun(readStory(this.#given ?? (await textAt(this.getAttribute('src'), signal))))
      if (!signal.aborted) this.#show(<Player key={story.runId} story={story} />)
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      this.#show(
        <p class="empty fault" role="alert">
          The run cannot be shown. <span class="said">{reason}</span>
        </p>,
      )
    }
  }

  #show(content: VNode): void {
    render(content, this.#root)
  }
}

async function textAt(address: string | null, signal: AbortSignal): Promise<string> {
  if (address === null || address === '') throw new Error('The element has no src.')
  const response = await fetch(address, { signal, credentials: 'same-origin' })
  if (!response.ok) throw new Error(`${address} was answered with status ${response.status}.`)
  const text = await response.text()
  if (text.length > longest) throw new Error('The story is too large for a page.')
  return text
}

const elements: CustomElementRegistry | undefined = globalThis.customElements
if (elements?.get('troupe-run') === undefined) elements?.define('troupe-run', TroupeRun)
