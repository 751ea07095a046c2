/** The text without the repetitions of a character at its end. An expression such as `/=+$/` begins anew at each of them. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
