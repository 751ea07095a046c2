/** The surroundings of a command. */
export interface Terminal {
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** The next line of the standard input; `undefined`: there is none any more. Absent: there is no input. */
  readonly line?: (prompt: string) => Promise<string | undefined>
  /** Resolves when the person wants to end. */
  readonly interrupted: () => Promise<void>
  /** Absent: it is no terminal. */
  readonly columns?: number
  /** Default: `false`. */
  readonly hasColor?: boolean
}
