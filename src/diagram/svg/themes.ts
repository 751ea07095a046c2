/** The colours of drawings. Texts keep a contrast of 4.5 and more to what is behind them. */
export interface Colours {
  readonly background: string
  readonly text: string
  readonly muted: string
  /** Of nodes. */
  readonly fill: string
  readonly border: string
  /** Of final states, and of what ended well. */
  readonly final: string
  readonly line: string
  readonly accent: string
}

export type Theme = 'light' | 'dark'

export const themes: Readonly<Record<Theme, Colours>> = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    muted: '#59636e',
    fill: '#f6f8fa',
    border: '#818b98',
    final: '#dafbe1',
    line: '#818b98',
    accent: '#0969da',
  },
  dark: {
    background: '#0d1117',
    text: '#f0f6fc',
    muted: '#9198a1',
    fill: '#151b23',
    border: '#6e7681',
    final: '#12261e',
    line: '#6e7681',
    accent: '#4493f8',
  },
}
