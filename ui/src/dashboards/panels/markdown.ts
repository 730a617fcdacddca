/** A subset of Markdown as a tree, which the page renders as elements; text is never interpreted as HTML. */

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; address: string }

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; inlines: Inline[] }
  | { kind: 'paragraph'; inlines: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string }

const INLINE =
  /`(?<code>[^`\n]+)`|\*\*(?<strong>[^*\n]+)\*\*|\*(?<emphasis>[^*\s][^*\n]*)\*|\[(?<label>[^\]\n]+)\]\((?<address>[^()\s]+)\)/g
const ITEM = /^\s*(?:[-*]|(\d{1,4})[.)])\s+(.*)$/
const HEADING = /^(#{1,3})\s+(.*)$/
const FENCE = /^\s*```/

/** Whether an address only leads to a page: http, https, or one of our own pages. */
export function isHarmless(address: string): boolean {
  return /^(?:https?:\/\/|#\/)[^\s]/i.test(address)
}

export function readInlines(text: string): Inline[] {
  const inlines: Inline[] = []
  let end = 0
  const keep = (until: number) => {
    if (until > end) inlines.push({ kind: 'text', text: text.slice(end, until) })
  }
  for (const found of text.matchAll(INLINE)) {
    const { code, strong, emphasis, label, address } = found.groups ?? {}
    keep(found.index)
    end = found.index + found[0].length
    if (code !== undefined) inlines.push({ kind: 'code', text: code })
    else if (strong !== undefined) inlines.push({ kind: 'strong', text: strong })
    else if (emphasis !== undefined) inlines.push({ kind: 'emphasis', text: emphasis })
    else if (label && address && isHarmless(address)) inlines.push({ kind: 'link', text: label, address })
    else inlines.push({ kind: 'text', text: found[0] })
  }
  keep(text.length)
  return inlines
}

/** Parses the blocks of a text, line by line. */
class Reader {
  readonly blocks: Block[] = []
  private paragraph: string[] = []
  private code: string[] | null = null

  read(line: string): void {
    if (FENCE.test(line)) this.turnFence()
    else if (this.code) this.code.push(line)
    else if (!this.readMarked(line)) this.readPlain(line)
  }

  end(): void {
    if (this.code) this.turnFence()
    this.endParagraph()
  }

  private turnFence(): void {
    this.endParagraph()
    if (this.code) this.blocks.push({ kind: 'code', text: this.code.join('\n') })
    this.code = this.code ? null : []
  }

  /** A heading or an item of a list. */
  private readMarked(line: string): boolean {
    const [, marks = '', title = ''] = HEADING.exec(line) ?? []
    const item = ITEM.exec(line)
    if (!marks && !item) return false
    this.endParagraph()
    if (marks) {
      const level = marks.length as 1 | 2 | 3
      this.blocks.push({ kind: 'heading', level, inlines: readInlines(title) })
    } else if (item) addItem(this.blocks, item[1] !== undefined, readInlines(item[2] ?? ''))
    return true
  }

  private readPlain(line: string): void {
    if (line.trim()) this.paragraph.push(line.trim())
    else this.endParagraph()
  }

  private endParagraph(): void {
    if (this.paragraph.length)
      this.blocks.push({ kind: 'paragraph', inlines: readInlines(this.paragraph.join(' ')) })
    this.paragraph = []
  }
}

export function readMarkdown(text: string): Block[] {
  const reader = new Reader()
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) reader.read(line)
  reader.end()
  return reader.blocks
}

function addItem(blocks: Block[], isOrdered: boolean, inlines: Inline[]): void {
  const last = blocks.at(-1)
  if (last?.kind === 'list' && last.isOrdered === isOrdered) last.items.push(inlines)
  else blocks.push({ kind: 'list', isOrdered, items: [inlines] })
}
