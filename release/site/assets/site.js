// The theme that was chosen in the pages, the menu of small screens, and the search.
const root = document.documentElement
const script = document.currentScript
const base = new URL('.', new URL(script.dataset.index, location.href))

try {
  const { theme } = JSON.parse(localStorage.getItem('logboom.preferences') ?? '{}')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
} catch {
  // A browser that keeps nothing shows the theme of the system.
}

const menu = document.querySelector('nav > details.menu')
const isNarrow = matchMedia('(width < 60rem)')
const fold = () => (menu.open = !isNarrow.matches)
isNarrow.addEventListener('change', fold)
fold()

const field = document.querySelector('form[role=search] input')
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
})

const results = document.getElementById('results')
if (results) startSearch(document.getElementById('found'))

async function startSearch(status) {
  field.value = new URLSearchParams(location.search).get('q') ?? ''
  let sections
  try {
    sections = await (await fetch(script.dataset.index)).json()
  } catch {
    status.textContent = 'What the search looks through cannot be loaded.'
    return
  }
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    const found = words.length ? rank(sections, words) : []
    results.replaceChildren(...found.slice(0, 50).map((section) => makeResult(section, words)))
    status.textContent = describe(words, found.length)
  }
  field.addEventListener('input', show)
  document.querySelector('form[role=search]').addEventListener('submit', (event) => {
    event.preventDefault()
    history.replaceState(null, '', `?q=${encodeURIComponent(field.value)}`)
    show()
  })
  show()
}

function describe(words, count) {
  if (!words.length) return 'Type into the field above.'
  if (!count) return 'Nothing found. Every word must be in one section; fewer words find more.'
  return count > 50 ? `The best 50 of ${count} sections` : `${count} ${count === 1 ? 'section' : 'sections'}`
}

/** Sections that have all words, the best first: a word in a heading counts more than one in the text, and all in a row most. */
function rank(sections, words) {
  const scored = []
  const phrase = words.join(' ')
  for (const section of sections) {
    const [, title, heading, text] = section.map((part) => part.toLowerCase())
    let score = 0
    for (const word of words) {
      const here = 8 * scoreText(heading || title, word) + 3 * scoreText(title, word) + scoreText(text, word)
      if (!here) {
        score = 0
        break
      }
      score += here
    }
    if (score && words.length > 1 && text.includes(phrase)) score += 30
    if (score) scored.push([score, section])
  }
  return scored.sort((one, other) => other[0] - one[0]).map(([, section]) => section)
}

/** 2 where a word of the text begins with it, 1 where it stands inside one. */
function scoreText(text, word) {
  const place = text.indexOf(word)
  if (place < 0) return 0
  return place === 0 || /[^\p{L}\p{N}]/u.test(text[place - 1]) ? 2 : 1
}

function makeResult([page, title, heading, text], words) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = new URL(page, base)
  link.textContent = heading ? `${title}: ${heading}` : title
  const part = document.createElement('p')
  part.textContent = cut(text, words)
  item.append(link, part)
  return item
}

function cut(text, words) {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const wanted = Math.max(0, Math.min(...places, text.length) - 60)
  const start = wanted && text.indexOf(' ', wanted) + 1
  const end = text.lastIndexOf(' ', start + 220)
  const isWhole = text.length <= start + 220
  return (start ? '… ' : '') + (isWhole ? text.slice(start) : `${text.slice(start, end)} …`)
}
