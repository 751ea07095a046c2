/** What is seen of the timeline: how large, from where on, and by which axis. */
import { computed, signal } from '@preact/signals'
import type { RunModel } from '../model/run-model.ts'
import { placeLanes } from './bars.ts'
import { bounded, leftAfter, Scale } from './scale.ts'

/** So many pixels for one row are enough; a short run may be made larger nevertheless. */
const widestRow = 60
const leastZoom = 8

export class TimelineView {
  readonly #model: RunModel
  readonly #zoom = signal(1)
  readonly #left = signal(0)
  /** Rows one behind the other, in place of time. */
  readonly inRows = signal(false)
  /** Pixels of the line that are seen. */
  readonly width = signal(0)

  constructor(model: RunModel) {
    this.#model = model
  }

  /** What goes on behind the last row. */
  readonly tail = computed(() => {
    const { axis, span, tail } = this.#model
    const isShown = tail.value !== undefined && !this.inRows.value
    const ms = isShown ? span.value - axis.length : 0
    return { tail: ms, isWaiting: isShown && axis.isWaiting }
  })

  /** Rows stand one behind the other: that is chosen, or no time has passed. */
  readonly isByRows = computed(() => {
    const hasTime = this.#model.length.value > 0 && this.#model.axis.length > 0
    return this.inRows.value || (!hasTime && this.tail.value.tail === 0)
  })

  readonly offsets = computed(() => {
    const length = this.#model.length.value
    const { offsets } = this.#model.axis
    return this.isByRows.value ? Array.from({ length }, (_, row) => row) : offsets.slice(0, length)
  })

  readonly cuts = computed(() =>
    this.inRows.value || this.#model.length.value === 0 ? [] : [...this.#model.axis.cuts],
  )

  /** The lanes in their places. A new list only where rows were added. */
  readonly lanes = computed(() => placeLanes(this.#model.length.value === 0 ? [] : this.#model.lanes.list))

  readonly scale = computed(
    () =>
      new Scale({
        offsets: this.offsets.value,
        cuts: this.cuts.value,
        ...this.tail.value,
        width: this.width.value,
        zoom: this.#zoom.value,
        left: this.#left.value,
      }),
  )

  get isWhole(): boolean {
    return this.#zoom.value === 1
  }

  /** `x`: the pixel that stays in its place. */
  zoomBy(factor: number, x: number): void {
    const most = Math.max(leastZoom, (this.#model.length.value * widestRow) / Math.max(1, this.width.value))
    const zoom = Math.min(most, Math.max(1, this.#zoom.value * factor))
    const left = leftAfter(x, this.#left.value, zoom / this.#zoom.value)
    this.#zoom.value = zoom
    this.#left.value = bounded(left, this.width.value, zoom)
  }

  showAll(): void {
    this.#zoom.value = 1
    this.#left.value = 0
  }

  panBy(pixels: number): void {
    this.#left.value = bounded(this.#left.value + pixels, this.width.value, this.#zoom.value)
  }

  /** Brings a row into view. */
  reveal(row: number): void {
    const x = this.scale.value.xOf(row)
    const width = this.width.value
    if (x < 0 || x > width) this.panBy(x - width / 2)
  }
}
