/*
 * Drawings for pages that are empty, and for good news: a line of ink, and one wash of colour printed a little beside
 * it. No line is straight. 260 by 190; the colours are in list-actions.css.
 */

type Strokes = { wash: string; ink: string; thin?: string };

const drawings = {
  /** Nobody on the list: a letter box, and the first letter on its way. */
  letterBox: {
    wash: "M106 62c2-20 14-32 32-32s31 12 33 33l2 102c-23 2-46 2-68 0zM198 44c13-2 27-2 40 0 1 9 1 18 0 27-13 2-27 2-40 0z",
    ink: "M91 56c1-22 17-37 38-37 22-1 39 15 40 37M84 57c30-3 61-3 92 0M96 59c-1 35-2 70-1 105 23 2 46 2 69 0 2-35 1-70 0-105M110 78c13-1 26-1 39 0 1 4 0 6 0 9-13 1-26 1-39 0-1-3-1-6 0-9zM118 106c8-1 16-1 24 0 1 6 1 12 0 18-8 1-16 1-24 0-1-6-1-12 0-18zM86 165c29 2 58 2 87 0 1 3 1 6 0 9-29 2-58 2-87 0-1-3-1-6 0-9zM36 175c12-2 26-2 40-1M184 174c14-1 28-1 42 1M192 38c13-2 27-2 40 0 1 9 1 18 0 27-13 2-27 2-40 0-1-9-1-18 0-27zM193 39c6 6 12 11 19 13 8-3 14-7 19-13",
    thin: "M184 44c-4 0-8 1-11 3M185 57c-3 1-6 2-9 4M58 174c-1-7-4-12-8-15M62 174c0-8 2-14 6-18",
  },
  /** Nothing to answer: an empty tray, and a plant that had time to grow. */
  tray: {
    wash: "M46 124h100l-1 40c-35 2-67 2-98 0zM190 134h36l-6 32c-9 2-17 2-26 0zM206 98c11-1 19-8 21-20-12 0-19 8-21 20z",
    ink: "M36 124c1 13 0 26 1 38 36 2 72 2 108 0 1-12 1-25 0-38M36 124c10-1 20-1 30 0 3 9 9 13 16 13h18c8 0 13-4 16-13 10-1 20-1 29 0M36 124c6-9 12-17 19-25 24-2 47-2 71 0 7 8 13 16 19 25M182 128c13-2 27-2 40 0-1 13-3 25-7 36-9 2-18 2-26 0-4-11-6-23-7-36zM202 126c0-18-2-34-1-49M200 107c-12-1-20-8-23-19 12-1 20 6 23 19zM201 95c10-2 17-9 20-21-12 0-19 8-20 21zM200 78c-7-6-9-14-6-24 8 6 10 15 6 24zM12 165c5-1 9-1 14 0M152 165c8-1 16-1 24 0M224 165c9-1 17 0 26 0",
    thin: "M58 116c22-1 44-1 66 0M62 108c19-1 38-1 57 0",
  },
  /** Nothing written: a typewriter with an empty sheet. */
  typewriter: {
    wash: "M101 30c22-2 45-2 68 0v56h-68zM84 108h98l18 58c-45 3-90 3-134 0z",
    ink: "M96 24c22-2 45-2 68 0 1 21 1 41 0 61M96 24c-1 20-1 41 0 61M72 86c39-2 77-2 116 0 1 5 1 9 0 13-39 2-77 2-116 0-1-4-1-9 0-13zM72 88c-6 0-10 2-10 5s4 5 10 5M188 88c6 0 10 2 10 5s-4 5-10 5M80 101c-7 19-14 39-18 61 45 4 91 4 136 0-4-22-10-42-18-61M104 150c18-1 35-1 53 0M30 168c9-1 18-1 27 0M203 168c9-1 18-1 27 0",
    thin: "M110 44h9M86 124h1M102 123h1M118 123h1M134 123h1M150 123h1M166 124h1M80 137h1M97 137h1M114 136h1M131 136h1M148 136h1M165 137h1M180 137h1",
  },
  /** Nothing sent: a letter folded to fly. */
  plane: {
    wash: "M58 98c48-20 98-38 150-56-22 38-42 77-60 116-12-16-24-31-37-45-18-4-35-9-53-15z",
    ink: "M52 92c48-20 98-38 150-56-22 38-42 77-60 116-12-16-24-31-37-45-18-4-35-9-53-15zM202 36c-34 22-66 46-97 71M105 107c1 13 3 26 6 39 7-7 14-14 21-22",
    thin: "M22 112c7-3 13-5 20-6M28 130c9-4 18-7 27-9M44 152c9-6 18-10 28-14M78 166c4-3 8-6 12-8",
  },
  /** Nothing stored: parcels without an address. */
  parcels: {
    wash: "M66 102c30-2 60-2 90 0v66H66zM162 124c18-2 36-2 54 0v45h-54z",
    ink: "M60 96c30-2 60-2 90 0 1 22 1 45 0 67-30 2-60 2-90 0-1-22-1-45 0-67zM104 96c1 22 1 45 0 67M60 129c30-2 60-2 90 0M104 95c-9-12-22-12-22-5s13 8 22 5c9-12 22-12 22-5s-13 8-22 5zM156 118c18-2 36-2 54 0 1 15 1 30 0 45-18 2-36 2-54 0-1-15-1-30 0-45zM176 117c0 6 0 11 1 16 5 1 9 1 13 0 0-5 0-10 1-16M24 165c10-1 20-1 30 0M216 165c8-1 15-1 22 0",
    thin: "M164 148c7-1 13-1 20 0M164 154c5 0 9 0 13 1",
  },
  /** Nothing to show: an easel with the first strokes. */
  easel: {
    wash: "M90 42c31-2 62-2 94 0v74c-32 2-63 2-94 0z",
    ink: "M84 36c31-2 62-2 94 0 1 25 1 50 0 74-32 2-63 2-94 0-1-25-1-49 0-74zM72 112c39-2 79-2 118 0M108 114c-8 20-14 38-20 58M153 114c8 20 15 38 21 58M130 115c1 15 1 31 0 46M131 35c0-6 0-12 0-17M46 173c10-1 21-1 31 0M185 173c9-1 19-1 28 0",
    thin: "M94 96c14-18 26-24 38-13 10-11 22-19 38 7M152 54c5-2 10 1 10 6s-6 8-10 5-5-9 0-11",
  },
  /** Nothing follows yet: letters on a line, one after the other. */
  line: {
    wash: "M50 78c16 3 30 5 44 6-1 20-2 38-4 56-15-1-29-3-43-6 1-19 2-37 3-56zM114 85c16 1 31 1 46 0 1 20 1 39 0 58-15 1-30 1-45 0-1-19-1-38-1-58zM180 84c15-2 29-5 43-9 2 19 4 37 5 55-14 4-28 7-43 9-2-18-4-36-5-55z",
    ink: "M18 60c74 24 152 26 226-4M44 72c16 3 30 5 44 6-1 20-2 38-4 56-15-1-29-3-43-6 1-19 2-37 3-56zM108 79c16 1 31 1 46 0 1 20 1 39 0 58-15 1-30 1-45 0-1-19-1-38-1-58zM174 78c15-2 29-5 43-9 2 19 4 37 5 55-14 4-28 7-43 9-2-18-4-36-5-55zM44 73c7 11 14 18 22 23 8-4 15-10 22-17M108 80c8 10 15 17 23 21 8-4 15-11 23-21M174 79c9 8 17 13 26 17 6-7 12-16 17-26M19 34c-1 46-1 90 0 134M243 32c1 46 1 90 0 136M8 169c8-1 15-1 23 0M231 169c8-1 15-1 23 0",
    thin: "M54 68c1 4 1 8 0 12M78 72c0 4 0 8-1 12M118 73v13M144 73c0 4 0 8 1 12M185 71c0 4 1 8 2 12M208 66c1 4 2 8 3 11",
  },
} satisfies Record<string, Strokes>;

export type DrawingName = keyof typeof drawings;

/** Says nothing that the words beside it do not say. */
export const Drawing = ({ name }: { name: DrawingName }) => {
  const { wash, ink, thin }: Strokes = drawings[name];
  return (
    <svg class="drawing" viewBox="0 0 260 190" aria-hidden="true" focusable="false">
      <path class="wash" d={wash} />
      <path d={ink} />
      {thin && <path class="thin" d={thin} />}
    </svg>
  );
};

/** The day something went out, as the stamp on a letter says it. @param day such as "24 Nov 2026" */
export const Postmark = ({ day }: { day: string }) => {
  const [year = ""] = /\d{4}/.exec(day) ?? [];
  return (
    <svg class="postmark" viewBox="0 0 112 64" aria-hidden="true" focusable="false">
      <path d="M32 4c16-1 28 11 28 28 0 16-12 28-28 28S4 48 4 32C4 16 16 5 32 4z" />
      <path class="dotted" d="M32 9c13 0 23 10 23 23 0 13-10 23-23 23S9 45 9 32C9 19 19 9 32 9z" />
      <path d="M64 20c7-5 13 5 20 0s13 5 20 0M66 29c7-5 13 5 20 0s13 5 20 0M66 38c7-5 13 5 20 0s13 5 20 0M64 47c7-5 13 5 20 0s13 5 20 0" />
      <text x="32" y="30">
        {day.replace(/(?<![\s,-])[\s,-]*\d{4}[\s,-]*/, "").toUpperCase()}
      </text>
      <text x="32" y="41">
        {year}
      </text>
    </svg>
  );
};
