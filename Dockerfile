# Grades on macOS, Windows and any machine whose own walls do not suffice. Needs no privilege and no network:
# docs/security.md has the one command. Landlock and seccomp come from the kernel below (Docker Desktop's has both).
# Two images: `--target box` holds nothing private (its reference comes as a pinned pack, see docs/ci.md); without a
# target the reference is inside.
FROM python:3.11-slim-bookworm AS box

ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 OMP_NUM_THREADS=1 LANG=C.UTF-8

# git reads students' repositories as data for `grader ci`.
RUN apt-get update && apt-get install --yes --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/grader
COPY constraints.txt ./
RUN torch=$(grep -iE '^torch==' constraints.txt || echo torch) \
 && pip install --index-url "$TORCH_INDEX" "${torch%%+*}"
COPY pyproject.toml README.md LICENSE ./
COPY grader grader
RUN pip install --constraint constraints.txt . einops
COPY assignments /course/assignments

# What a grader has in its care is closed to everybody else; the workers' walls do not depend on it.
RUN useradd --uid 1000 --create-home grader \
 && mkdir /course/drop /course/out && chown -R grader:grader /course && chmod -R go-rwx /course
USER grader
WORKDIR /course
ENTRYPOINT ["python", "-m", "grader"]
CMD ["doctor"]

FROM box
COPY --chown=grader:grader reference /course/reference
RUN chmod -R go-rwx /course/reference
